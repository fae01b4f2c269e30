package core

import "time"

// ReadWhole is the least score of a bid whose expert reads all of a text.
const ReadWhole = 0.9

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
	Origin string        `json:"-"`                 // how the expert is reached: [ToolSpec.Origin]
	Broken bool          `json:"broken,omitempty"`  // it answered what cannot be read; one that is late only is not broken
	Took   time.Duration `json:"took"`
	Credit float64       `json:"credit"` // 0 to 1: what its earlier bids were worth; a score counts as much as it times this
}

// BidHistory sums up what an expert's bids claimed and delivered. Origin is how it is reached: a
// program of the same name that is reached otherwise is another expert.
type BidHistory struct {
	Expert    string
	Origin    string
	Prior     float64 // what its bids count before anything is known of them
	Claimed   float64 // the sum of the bids that were awarded; what is long ago counts less
	Delivered float64 // their outcome
	Bids      int     // questions of the user that it has bid on
	Awards    int     // calls that were made on a bid
	Time      time.Time
}

// Learned is a question of the user that an expert has answered.
type Learned struct {
	Expert   string
	Origin   string
	Question string
	Thread   string // where it was asked
	Run      string
	Time     time.Time
}

// BidRecord is what people see of a [BidHistory].
type BidRecord struct {
	Bids    int      `json:"bids,omitempty"`
	Awards  int      `json:"awards,omitempty"`
	Credit  float64  `json:"credit,omitempty"` // 0 to 1
	Learned []string `json:"learned,omitempty"`
}
