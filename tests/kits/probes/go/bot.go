// The probe of the conformance suite in Go: the first argument says how it behaves.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"bullring"
)

type plain struct{ bullring.Base }

type slow struct{ bullring.Base }

func (bot *slow) ChooseCard(view *bullring.TableView) int {
	time.Sleep(30 * time.Millisecond)
	return view.Hand[0]
}

type throws struct{ bullring.Base }

func (bot *throws) ChooseCard(view *bullring.TableView) int { panic("no idea") }

type throwsAtStart struct{ bullring.Base }

func (bot *throwsAtStart) OnGameStart() { panic("no start") }

type nonsense struct{ bullring.Base }

func (bot *nonsense) ChooseTurn(view *bullring.ElevenNimmtView) bullring.Turn { return bullring.Turn{} }

type object map[string]interface{}

// mirror prints everything it hears.
type mirror struct{ bullring.Base }

func (bot *mirror) tell(what object) {
	what["game_no"] = bot.GameNo
	text, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func (bot *mirror) OnGameStart() {
	bot.tell(object{"rules": bot.Rules, "seat": bot.Seat, "players": bot.Players})
}

func (bot *mirror) OnGameOver(points, places []int) {
	bot.tell(object{"points": points, "places": places})
}

func (bot *mirror) OnEvent(event bullring.Event) {
	fields := map[string]object{
		"round_start": {"round_no": event.Number, "start_seat": event.StartSeat, "bull_pool": event.BullPool},
		"turn":        {"number": event.Number, "seat": event.Seat},
		"reveal":      {"cards": event.Cards},
		"move":        {"why": event.Why, "cards": event.Cards, "src": event.Src, "dst": event.Dst},
		"bull_card":   {"seat": event.Seat, "source": event.Source},
		"points":      {"points": event.Points},
		"round_end":   {"points": event.Points, "totals": event.Totals},
		"game_end":    {"points": event.Points, "places": event.Places},
	}
	bot.tell(object{"kind": event.Kind, "event": fields[event.Kind]})
}

func (bot *mirror) asked(kind string, view interface{}) {
	var legal interface{} = bot.Legal
	if kind == "turn" {
		legal = bot.Turns
	}
	bot.tell(object{"ask": kind, "view": view, "legal": legal, "asks_left": bot.AsksLeft()})
	bot.Note(strings.Repeat("ä", 150))
}

func (bot *mirror) askedAtTable(kind string, view *bullring.TableView) {
	if view.Six != nil {
		bot.asked(kind, view.Six)
	} else {
		bot.asked(kind, view.X)
	}
}

func (bot *mirror) ChooseCard(view *bullring.TableView) int {
	bot.askedAtTable("card", view)
	return bot.Base.ChooseCard(view)
}

func (bot *mirror) ChooseRow(view *bullring.TableView) int {
	bot.askedAtTable("row", view)
	return bot.Base.ChooseRow(view)
}

func (bot *mirror) ChooseDraft(view *bullring.SixNimmtView) int {
	bot.asked("draft", view)
	return bot.Base.ChooseDraft(view)
}

func (bot *mirror) ChooseXCard(view *bullring.XNimmtView) int {
	bot.asked("x_card", view)
	return bot.Base.ChooseXCard(view)
}

func (bot *mirror) ChooseSteal(view *bullring.ElevenNimmtView) int {
	bot.asked("steal", view)
	return bot.Base.ChooseSteal(view)
}

func (bot *mirror) ChooseTurn(view *bullring.ElevenNimmtView) bullring.Turn {
	bot.asked("turn", view)
	return bot.Base.ChooseTurn(view)
}

func main() {
	styles := map[string]func() bullring.Bot{
		"plain":           func() bullring.Bot { return &plain{} },
		"slow":            func() bullring.Bot { return &slow{} },
		"nonsense":        func() bullring.Bot { return &nonsense{} },
		"throws":          func() bullring.Bot { return &throws{} },
		"throws-at-start": func() bullring.Bot { return &throwsAtStart{} },
	}
	if os.Args[1] == "mirror" {
		bullring.Run(func() bullring.Bot { return &mirror{} }, bullring.Options{
			Rules: []string{"six-nimmt", "eleven-nimmt", "x-nimmt"}, MaxBatch: 7,
		})
	}
	bullring.Run(styles[os.Args[1]], bullring.Options{})
}
