// Plays the card that lies closest above a row's end, as the Python sample `gap` does.
package main

import "bullring"

// rowHolds is how many cards a resting row holds; the next one takes it.
var rowHolds = map[string][]int{"six-nimmt": {5, 5, 5, 5}, "x-nimmt": {2, 3, 4}}

// GapBot leaves little room for other cards to get in between.
type GapBot struct{ bullring.Base }

// ChooseCard plays the card with the smallest risk.
func (bot *GapBot) ChooseCard(view *bullring.TableView) int {
	best, least := 0, [2]int{1000, 1000}
	for _, card := range view.Hand {
		if risk := bot.risk(card, view); risk[0] < least[0] || risk[0] == least[0] && risk[1] < least[1] {
			best, least = card, risk
		}
	}
	return best
}

// risk is first what the card would cost if nobody else played, then its gap.
func (bot *GapBot) risk(card int, view *bullring.TableView) [2]int {
	below, cheapest := -1, 1000
	for index, row := range view.Rows {
		if heads := bullring.Heads(row); heads < cheapest {
			cheapest = heads
		}
		if last(row) < card && (below < 0 || last(row) > last(view.Rows[below])) {
			below = index
		}
	}
	if below < 0 {
		return [2]int{cheapest, card}
	}
	row := view.Rows[below]
	cost := 0
	if len(row) >= rowHolds[bot.Rules.Name][below] {
		cost = bullring.Heads(row)
	}
	return [2]int{cost, card - last(row)}
}

// ChooseDraft takes what lies farthest from the hand: a spread hand has an answer to most rows.
func (bot *GapBot) ChooseDraft(view *bullring.SixNimmtView) int {
	held := view.Hand
	if len(held) == 0 {
		held = []int{0}
	}
	best, farthest := 0, -1
	for _, card := range view.Pool {
		nearest := 1000
		for _, other := range held {
			if distance := abs(card - other); distance < nearest {
				nearest = distance
			}
		}
		if nearest > farthest {
			best, farthest = card, nearest
		}
	}
	return best
}

// ChooseXCard takes the card just above the end of the X row: it must rise, and this leaves room.
func (bot *GapBot) ChooseXCard(view *bullring.XNimmtView) int {
	end := last(view.XRows[view.Seat])
	best := -1
	for _, card := range view.Taken {
		rises, bestRises := card > end, best > end
		if best < 0 || rises && !bestRises || rises == bestRises && card < best {
			best = card
		}
	}
	return best
}

// ChooseTurn plays as many cards as it can where many may be played.
func (bot *GapBot) ChooseTurn(view *bullring.ElevenNimmtView) bullring.Turn {
	if widest, fits := bot.Turns.WidestPlay(); fits && bot.Turns.Many {
		return widest
	}
	return bot.Base.ChooseTurn(view)
}

func last(cards []int) int {
	if len(cards) == 0 {
		return 0
	}
	return cards[len(cards)-1]
}

func abs(number int) int {
	if number < 0 {
		return -number
	}
	return number
}

func main() {
	bullring.Run(func() bullring.Bot { return &GapBot{} }, bullring.Options{})
}
