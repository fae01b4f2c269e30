package data_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/experts/data"
)

func BenchmarkABidOnAQuestion(b *testing.B) {
	e := data.New(shop())
	e.Bid(b.Context(), "how many orders", nil)
	for b.Loop() {
		e.Bid(b.Context(), "top 3 customers by revenue in March where the city is not Berlin", nil)
	}
}

func BenchmarkABidThatGoesOnWithAQuestion(b *testing.B) {
	e := data.New(shop())
	said := user("what time is it in Tokyo?", "sum of total by country", "thanks")
	for b.Loop() {
		e.Bid(b.Context(), "and the average?", said)
	}
}

// Each of the texts below is one of 64 that come together, which may take 50 ms.
func BenchmarkABidOnLongText(b *testing.B) {
	for name, text := range map[string]string{
		"words":    strings.Repeat("orders by total ", 512),
		"brackets": strings.Repeat("((((", 2500),
		"digits":   strings.Repeat("1234567890", 820),
		"quotes":   strings.Repeat(`"'`, 4096),
		"select":   "select " + strings.Repeat("a, ", 2700),
		"sql":      "select * from sales.csv where " + strings.Repeat("id = 1 or ", 800) + "1",
		"short":    strings.Repeat("total of ", 66),
		"lost":     strings.Repeat("averige ", 40),
	} {
		b.Run(name, func(b *testing.B) {
			e := data.New(shop())
			for b.Loop() {
				e.Bid(b.Context(), text, nil)
			}
		})
	}
}

func BenchmarkTheFirstBidInADirectory(b *testing.B) {
	for b.Loop() {
		data.New(shop()).Bid(b.Context(), "how many orders", nil)
	}
}
