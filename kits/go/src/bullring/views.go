package bullring

// What a seat sees, as plain Go. Seats, rows, rounds and turns count from 0.

// TableView is what 6 nimmt! and X nimmt! have in common; Six or X has the rest of it.
type TableView struct {
	Seat     int     `json:"seat"`
	Players  int     `json:"players"`
	RoundNo  int     `json:"round_no"`
	Turn     int     `json:"turn"`
	Hand     []int   `json:"hand"` // ascending
	Rows     [][]int `json:"rows"`
	Revealed []int   `json:"revealed"` // the cards of this turn, by seat; empty while they are chosen
	Totals   []int   `json:"totals"`   // points of the finished rounds, by seat

	Six *SixNimmtView `json:"-"` // nil in X nimmt!
	X   *XNimmtView   `json:"-"` // nil in 6 nimmt!
}

// SixNimmtView is 6 nimmt! as one seat sees it.
type SixNimmtView struct {
	*TableView
	StartSeat int     `json:"start_seat"` // who begins the draft (advanced game)
	BullPiles [][]int `json:"bull_piles"` // all cards taken in this round, by seat
	Points    []int   `json:"points"`     // bullheads taken in this round, by seat
	Pool      []int   `json:"pool"`       // the cards still open to the draft (advanced game)
	Hands     [][]int `json:"hands"`      // open in the advanced game; empty in the basic game
}

// XNimmtView is X nimmt! as one seat sees it.
type XNimmtView struct {
	*TableView
	Taken      []int   `json:"taken"` // the cards just taken, one of which goes to the X row
	XRows      [][]int `json:"x_rows"`
	XPile      []int   `json:"x_pile"` // the own one
	XPileSizes []int   `json:"x_pile_sizes"`
	HandSizes  []int   `json:"hand_sizes"`
}

// Pile is a pile of 11 nimmt!; its number is never used again in the round.
type Pile struct {
	Number int `json:"number"`
	Top    int `json:"top"`
}

// ElevenNimmtView is 11 nimmt! as one seat sees it: what lies under the tops is for its memory.
type ElevenNimmtView struct {
	Seat      int    `json:"seat"`
	Players   int    `json:"players"`
	RoundNo   int    `json:"round_no"`
	Turn      int    `json:"turn"`
	StartSeat int    `json:"start_seat"`
	Hand      []int  `json:"hand"` // ascending
	Piles     []Pile `json:"piles"`
	HandSizes []int  `json:"hand_sizes"` // by seat
	BullCards []int  `json:"bull_cards"` // by seat
	BullPool  int    `json:"bull_pool"`  // bull cards that nobody holds
	Draw      int    `json:"draw"`       // cards that the draw deck still has
	Totals    []int  `json:"totals"`
}

// Top is the top card of a pile; 0: there is no such pile.
func (view *ElevenNimmtView) Top(pile int) int {
	for _, one := range view.Piles {
		if one.Number == pile {
			return one.Top
		}
	}
	return 0
}

// Event is one thing that happened at the table. Which fields are set depends on the kind;
// bot.proto describes each.
type Event struct {
	Kind      string // round_start, turn, reveal, move, bull_card, points, round_end, game_end
	Number    int    // of the round or the turn
	Seat      *int
	Source    *int
	StartSeat int
	BullPool  int
	Cards     []int
	Why       string
	Src       string
	Dst       string
	Points    []int
	Totals    []int
	Places    []int
}
