package main

import (
	"testing"
)

func TestWhatAConversationTookAndCostIsToldWithWhatIsLeft(t *testing.T) {
	s, _ := openWithModel(t, 120, 60, "models:\n  ollama/scripted:1b: {context: 4096, price: {input: 1000, output: 2000}}\n", "Fish, mostly.", "At dawn.")
	s.see(`ask the room`)
	s.enter("/usage")
	s.see(`No model has been asked`)
	s.enter("what do herons eat?")
	s.see(`Fish, mostly\.`)
	s.enter("and when?") // what the first one took is on disk when this one begins
	s.see(`At dawn\.`)
	s.enter("/usage")
	s.see(`ollama/scripted:1b +[12] +\d+ +0 +\d+ +\$0\.\d\d`)
	s.see(`the last request took \d+ of the 4096 tokens that`)
	s.enter("/model")
	s.see(`reads 4 k tokens, \$ 1000 / 2000, in use`)
}
