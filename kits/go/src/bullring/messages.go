package bullring

import (
	"strings"
	"unicode/utf8"

	"bullring/wire"
)

// Messages of the contract as plain Go, and choices as messages.

const noteBytes = 200

func plain[N int32 | uint32](numbers []N) []int {
	list := make([]int, len(numbers))
	for index, number := range numbers {
		list[index] = int(number)
	}
	return list
}

func cardLists(lists []*wire.Cards) [][]int {
	all := make([][]int, len(lists))
	for index, list := range lists {
		all[index] = plain(list.Cards)
	}
	return all
}

func rulesOf(welcome *wire.Welcome) Rules {
	options := map[string]interface{}{}
	for name, option := range welcome.Options {
		switch value := option.Value.(type) {
		case *wire.OptionValue_Number:
			options[name] = value.Number
		case *wire.OptionValue_Flag:
			options[name] = value.Flag
		case *wire.OptionValue_Text:
			options[name] = value.Text
		}
	}
	return Rules{Name: welcome.Rules, Options: options, Version: int(welcome.RulesVersion)}
}

func turnsOf(options *wire.TurnOptions) TurnOptions {
	plays := map[int][]int{}
	for _, part := range options.GetPlays() {
		plays[int(part.Pile)] = plain(part.Cards)
	}
	return TurnOptions{
		Plays:    plays,
		MaxPiles: int(options.GetMaxPiles()),
		Many:     options.GetMany(),
		Takes:    plain(options.GetTakes()),
	}
}

func sixView(view *wire.SixNimmtView) *SixNimmtView {
	table := &TableView{
		Seat: int(view.Seat), Players: int(view.Players), RoundNo: int(view.RoundNo),
		Turn: int(view.Turn), Hand: plain(view.Hand), Rows: cardLists(view.Rows),
		Revealed: plain(view.Revealed), Totals: plain(view.Totals),
	}
	table.Six = &SixNimmtView{
		TableView: table, StartSeat: int(view.StartSeat), BullPiles: cardLists(view.BullPiles),
		Points: plain(view.Points), Pool: plain(view.Pool), Hands: cardLists(view.Hands),
	}
	return table.Six
}

func xView(view *wire.XNimmtView) *XNimmtView {
	table := &TableView{
		Seat: int(view.Seat), Players: int(view.Players), RoundNo: int(view.RoundNo),
		Turn: int(view.Turn), Hand: plain(view.Hand), Rows: cardLists(view.Rows),
		Revealed: plain(view.Revealed), Totals: plain(view.Totals),
	}
	table.X = &XNimmtView{
		TableView: table, Taken: plain(view.Taken), XRows: cardLists(view.XRows),
		XPile: plain(view.XPile), XPileSizes: plain(view.XPileSizes),
		HandSizes: plain(view.HandSizes),
	}
	return table.X
}

func elevenView(view *wire.ElevenNimmtView) *ElevenNimmtView {
	piles := make([]Pile, len(view.Piles))
	for index, pile := range view.Piles {
		piles[index] = Pile{Number: int(pile.Number), Top: int(pile.Top)}
	}
	return &ElevenNimmtView{
		Seat: int(view.Seat), Players: int(view.Players), RoundNo: int(view.RoundNo),
		Turn: int(view.Turn), StartSeat: int(view.StartSeat), Hand: plain(view.Hand),
		Piles: piles, HandSizes: plain(view.HandSizes), BullCards: plain(view.BullCards),
		BullPool: int(view.BullPool), Draw: int(view.Draw), Totals: plain(view.Totals),
	}
}

// eventOf is the event; false for one that is newer than this kit.
func eventOf(message *wire.Event) (Event, bool) {
	switch part := message.Event.(type) {
	case *wire.Event_RoundStart:
		one := part.RoundStart
		return Event{Kind: "round_start", Number: int(one.RoundNo), StartSeat: int(one.StartSeat),
			BullPool: int(one.BullPool)}, true
	case *wire.Event_Turn:
		return Event{Kind: "turn", Number: int(part.Turn.Number), Seat: seat(part.Turn.Seat)}, true
	case *wire.Event_Reveal:
		return Event{Kind: "reveal", Cards: plain(part.Reveal.Cards)}, true
	case *wire.Event_Move:
		one := part.Move
		return Event{Kind: "move", Why: one.Why, Cards: plain(one.Cards), Src: one.Src,
			Dst: one.Dst}, true
	case *wire.Event_BullCard:
		one := part.BullCard
		return Event{Kind: "bull_card", Seat: seat(&one.Seat), Source: seat(one.Source)}, true
	case *wire.Event_Points:
		return Event{Kind: "points", Points: plain(part.Points.Points)}, true
	case *wire.Event_RoundEnd:
		one := part.RoundEnd
		return Event{Kind: "round_end", Points: plain(one.Points), Totals: plain(one.Totals)}, true
	case *wire.Event_GameEnd:
		one := part.GameEnd
		return Event{Kind: "game_end", Points: plain(one.Points), Places: plain(one.Places)}, true
	}
	return Event{}, false
}

func seat(number *uint32) *int {
	if number == nil {
		return nil
	}
	known := int(*number)
	return &known
}

// fill puts a turn into an answer; false: the turn is empty.
func fill(answer *wire.Answer, turn Turn) bool {
	if pile, taken := turn.Taken(); taken {
		answer.Choice = &wire.Answer_Take{Take: int32(pile)}
		return true
	}
	play := &wire.Play{}
	for pile, cards := range turn.play {
		part := &wire.PileCards{Pile: int32(pile)}
		for _, card := range cards {
			part.Cards = append(part.Cards, int32(card))
		}
		play.Piles = append(play.Piles, part)
	}
	if len(play.Piles) == 0 {
		return false
	}
	answer.Choice = &wire.Answer_Play{Play: play}
	return true
}

// cut is a note as the referee keeps it, never cut in the middle of a character.
func cut(note string) string {
	note = strings.ToValidUTF8(note, "\uFFFD")
	if len(note) <= noteBytes {
		return note
	}
	end := noteBytes
	for !utf8.RuneStart(note[end]) {
		end--
	}
	return note[:end]
}
