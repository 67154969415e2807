// Tests of the sample. `make test` runs them.
package main

import (
	"testing"

	"bullring"
)

func made(rules string) *GapBot {
	return &GapBot{bullring.Base{Rules: bullring.Rules{Name: rules}}}
}

func TestItPlaysTheCardClosestAboveARowWithRoom(t *testing.T) {
	view := &bullring.TableView{
		Hand: []int{3, 25, 33, 50},
		Rows: [][]int{{10}, {20, 21, 22, 23, 24}, {30}, {40}},
	}
	if card := made("six-nimmt").ChooseCard(view); card != 33 {
		t.Errorf("got %d, expected 33", card)
	}
}

func TestItKeepsTheXRowRising(t *testing.T) {
	view := &bullring.XNimmtView{
		TableView: &bullring.TableView{Seat: 1},
		Taken:     []int{5, 30, 60},
		XRows:     [][]int{{}, {20}},
	}
	if card := made("x-nimmt").ChooseXCard(view); card != 30 {
		t.Errorf("got %d, expected 30", card)
	}
}
