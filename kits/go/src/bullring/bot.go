// Package bullring is all that a bot in Go needs: embed Base, define what you want to decide, and
// call Run.
//
//	type MyBot struct{ bullring.Base }
//
//	func (bot *MyBot) ChooseCard(view *bullring.TableView) int {
//		return view.Hand[len(view.Hand)-1]
//	}
//
//	func main() {
//		bullring.Run(func() bullring.Bot { return &MyBot{} }, bullring.Options{})
//	}
package bullring

import (
	"math/rand"
	"sort"
	"time"
)

// Rules are the rules of a pass: their name, every option by its name, and their version.
type Rules struct {
	Name    string                 `json:"name"`
	Options map[string]interface{} `json:"options"` // int64, bool or string
	Version int                    `json:"-"`
}

// TurnOptions are the legal turns of 11 nimmt!, described instead of listed.
type TurnOptions struct {
	Plays    map[int][]int `json:"plays"`     // for each pile the cards that fit, by ascending gap
	MaxPiles int           `json:"max_piles"` // on how many piles may be played in this turn
	Many     bool          `json:"many"`      // whether more than one card may be played at all
	Takes    []int         `json:"takes"`     // the piles, any one of which may be taken
}

// Turn is a turn of 11 nimmt!: made by Take or by Play.
type Turn struct {
	take *int
	play map[int][]int
}

// Take takes a pile into the hand.
func Take(pile int) Turn { return Turn{take: &pile} }

// Play plays these cards, by the number of their pile.
func Play(cards map[int][]int) Turn { return Turn{play: cards} }

// Taken is the pile that is taken; false: cards are played.
func (turn Turn) Taken() (int, bool) {
	if turn.take == nil {
		return 0, false
	}
	return *turn.take, true
}

// Played is what is played, by pile; nil: a pile is taken.
func (turn Turn) Played() map[int][]int { return turn.play }

// WidestPlay gets rid of the most cards that this turn can; false when no card fits.
func (options TurnOptions) WidestPlay() (Turn, bool) {
	left := map[int][]int{}
	for pile, cards := range options.Plays {
		left[pile] = cards
	}
	chosen := map[int][]int{}
	for len(left) > 0 && len(chosen) < options.MaxPiles {
		pile := longest(left)
		cards := left[pile]
		if len(cards) == 0 {
			break
		}
		if !options.Many {
			cards = cards[:1]
		}
		chosen[pile] = cards
		delete(left, pile)
		for other := range left {
			left[other] = without(left[other], cards)
		}
	}
	return Play(chosen), len(chosen) > 0
}

// longest is the pile with the most cards, of several the one with the lowest number.
func longest(plays map[int][]int) int {
	best := -1
	for pile, cards := range plays {
		if best < 0 || len(cards) > len(plays[best]) ||
			len(cards) == len(plays[best]) && pile < best {
			best = pile
		}
	}
	return best
}

func without(cards, gone []int) []int {
	kept := []int{}
	for _, card := range cards {
		if indexOf(gone, card) < 0 {
			kept = append(kept, card)
		}
	}
	return kept
}

func indexOf(cards []int, wanted int) int {
	for index, card := range cards {
		if card == wanted {
			return index
		}
	}
	return -1
}

// Bulls are the bullheads printed on a card.
func Bulls(card int) int {
	switch {
	case card == 55:
		return 7
	case card%11 == 0:
		return 5
	case card%10 == 0:
		return 3
	case card%5 == 0:
		return 2
	}
	return 1
}

// Heads are the bullheads on all the cards together.
func Heads(cards []int) int {
	sum := 0
	for _, card := range cards {
		sum += Bulls(card)
	}
	return sum
}

// Gap is how far a card lies above a top card of 11 nimmt!, where 1 follows 100.
func Gap(card, top int) int { return ((card-top)%100 + 100) % 100 }

// Bot is one bot in one game: a fresh one plays each game, so its fields remember that game alone.
// Embed Base and define the decisions you care about; the others are made as the house would.
type Bot interface {
	// OnGameStart begins a game; Rules, GameNo, Seat, Players and Rng are set.
	OnGameStart()
	// OnGameOver ends it; both lists are by seat.
	OnGameOver(points, places []int)
	// ChooseCard says which card of view.Hand to play.
	ChooseCard(view *TableView) int
	// ChooseRow says which row to take: an index into view.Rows.
	ChooseRow(view *TableView) int
	// ChooseDraft says which card of view.Pool to draft (advanced game).
	ChooseDraft(view *SixNimmtView) int
	// ChooseXCard says which card of view.Taken to put into the own X row.
	ChooseXCard(view *XNimmtView) int
	// ChooseSteal says from which seat of Legal to steal a bull card.
	ChooseSteal(view *ElevenNimmtView) int
	// ChooseTurn takes a pile, or plays on piles: what is possible is in Turns.
	ChooseTurn(view *ElevenNimmtView) Turn

	base() *Base
}

// Watcher is a bot that wants to hear of all that happens at its table. Events are sent only then.
type Watcher interface {
	OnEvent(event Event)
}

// clock is the time of one message of asks, shared by all bots that are asked in it.
type clock struct {
	free, bank time.Duration
	asksLeft   int
	came       time.Time
}

// Base is what every bot embeds: what it knows, and a default for every decision.
type Base struct {
	Rules   Rules
	GameNo  int
	Seat    int
	Players int
	Rng     *rand.Rand  // seeded for this game: draw all chance from it, and games can be repeated
	Legal   []int       // the legal choices of the current ask (all kinds but a turn of 11 nimmt!)
	Turns   TurnOptions // the legal turns of the current ask (11 nimmt!)

	clock *clock
	note  string
}

func (bot *Base) base() *Base { return bot }

// OnGameStart does nothing.
func (bot *Base) OnGameStart() {}

// OnGameOver does nothing.
func (bot *Base) OnGameOver(points, places []int) {}

// ChooseCard plays the lowest card.
func (bot *Base) ChooseCard(view *TableView) int { return lowest(bot.Legal) }

// ChooseRow takes the row with the fewest bullheads.
func (bot *Base) ChooseRow(view *TableView) int {
	best := bot.Legal[0]
	for _, row := range bot.Legal {
		if Heads(view.Rows[row]) < Heads(view.Rows[best]) {
			best = row
		}
	}
	return best
}

// ChooseDraft drafts the lowest card.
func (bot *Base) ChooseDraft(view *SixNimmtView) int { return lowest(bot.Legal) }

// ChooseXCard chooses the lowest card.
func (bot *Base) ChooseXCard(view *XNimmtView) int { return lowest(bot.Legal) }

// ChooseSteal steals from the first seat.
func (bot *Base) ChooseSteal(view *ElevenNimmtView) int { return lowest(bot.Legal) }

// ChooseTurn plays the card with the smallest gap, or takes the first pile.
func (bot *Base) ChooseTurn(view *ElevenNimmtView) Turn {
	if len(bot.Turns.Plays) == 0 {
		return Take(lowest(bot.Turns.Takes))
	}
	piles := []int{}
	for pile := range bot.Turns.Plays {
		piles = append(piles, pile)
	}
	sort.Ints(piles)
	best, closest := piles[0], 1000
	for _, pile := range piles {
		// Cards are sorted by ascending gap, so the first of each pile is its closest.
		if gap := Gap(bot.Turns.Plays[pile][0], view.Top(pile)); gap < closest {
			best, closest = pile, gap
		}
	}
	return Play(map[int][]int{best: bot.Turns.Plays[best][:1]})
}

func lowest(choices []int) int {
	best := choices[0]
	for _, choice := range choices {
		if choice < best {
			best = choice
		}
	}
	return best
}

// Note says a word (up to 200 bytes) on the choice you are making; only you will read it.
func (bot *Base) Note(text string) { bot.note = text }

// TimeLeft is for all asks of the current message together, the whole bank included.
func (bot *Base) TimeLeft() time.Duration {
	return bot.clock.free + bot.clock.bank - time.Since(bot.clock.came)
}

// FreeTime is for all asks of the current message together, before the bank is touched.
func (bot *Base) FreeTime() time.Duration { return bot.TimeLeft() - bot.clock.bank }

// AsksLeft is how many asks share that time, this one included.
func (bot *Base) AsksLeft() int { return bot.clock.asksLeft }
