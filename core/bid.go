package core

import "time"

// Bid is what an expert reads in a text, said before it is asked. It is a claim:
// it comes from reading alone, changes nothing and is no promise. The zero Bid
// declines.
type Bid struct {
	// Score is from 0 to 1: the share of the text's content words that the expert
	// read and can use. 1 is all of it; 0.6 is understood and ambiguous, or
	// knowingly refused; 0 is not for this expert, and is final.
	Score float64  `json:"score"`
	Reads string   `json:"reads,omitempty"` // what it understood, in its words
	Needs []string `json:"needs,omitempty"` // what it would ask for
}

// Declines reports whether the expert does not want the text.
func (b Bid) Declines() bool { return b.Score <= 0 }

// Bids are the bids of one expert, one for each text in the order of the texts.
type Bids struct {
	Expert string        `json:"expert"`
	Tool   string        `json:"tool"`              // the one that takes the text
	Bids   []Bid         `json:"bids,omitempty"`    // none where it did not bid
	Failed string        `json:"problem,omitempty"` // why there are none, when it was asked
	Took   time.Duration `json:"took"`
	Credit float64       `json:"credit"` // 0 to 1: what its earlier bids were worth; a score counts as much as it times this
}
