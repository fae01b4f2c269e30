package yaap

import (
	"encoding/json"
	"fmt"
	"math"
)

// BidRequest are the arguments of the tool yaap_bid of a child. A peer is sent
// the same in an [Event].
type BidRequest struct {
	Texts   []string    `json:"texts"`
	Context []Utterance `json:"context,omitempty"` // for who asked for it in hello
}

// Bid is what an expert reads in a text. Score is the share of the text's
// content words that it read and can use, from 0 to 1: 1 is all of it, 0.6 is
// understood and ambiguous, or knowingly refused, 0 is not for this expert. It
// comes from reading alone, never from what the answer would be; a word that was
// skipped is a word that was not read.
type Bid struct {
	Score float64  `json:"score"`
	Reads string   `json:"reads,omitempty"` // what it understood, in its words
	Needs []string `json:"needs,omitempty"` // what is missing
}

// BidAnswer answers a request: one bid for each text in its order, null to
// decline. It is the structured content of a child's answer, and data in the
// reply of a peer.
type BidAnswer struct {
	Bids []*Bid `json:"bids"`
}

// ReadBids reads the answer to a request for n bids.
func ReadBids(data map[string]any, n int) ([]*Bid, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var answer BidAnswer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, Refuse(BadSchema, "its bids cannot be read: %s", ExplainDecodeError(err))
	}
	if len(answer.Bids) != n {
		return nil, Refuse(BadSchema, "it was asked for %d bids and made %d", n, len(answer.Bids))
	}
	for _, bid := range answer.Bids {
		if bid != nil && (math.IsNaN(bid.Score) || bid.Score < 0 || bid.Score > 1) {
			return nil, Refuse(BadSchema, "it bids %s: a score is from 0 to 1", fmt.Sprint(bid.Score))
		}
	}
	return answer.Bids, nil
}
