package experts

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

func bidSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","required":["texts"],"properties":{"texts":{"type":"array","items":{"type":"string"}},"context":{"type":"array"}}}`)
}

// bid answers one request for bids. An expert that panics on a text declines it.
func (e Expert) bid(ctx context.Context, req mcp.CallToolRequest) *mcp.CallToolResult {
	var request yaap.BidRequest
	raw, err := json.Marshal(req.Params.Arguments)
	if err == nil {
		err = json.Unmarshal(raw, &request)
	}
	if err != nil {
		return mcp.NewToolResultError("texts must be a list of strings")
	}
	said := messages(request.Context)
	answer := yaap.BidAnswer{Bids: make([]*yaap.Bid, len(request.Texts))}
	for i, text := range request.Texts {
		if bid := e.read(ctx, text, said); !bid.Declines() {
			answer.Bids[i] = &yaap.Bid{Score: min(bid.Score, 1), Reads: bid.Reads, Needs: bid.Needs}
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return mcp.NewToolResultError(fmt.Sprintf("%s made a bid that is not JSON: %v", e.Name, err))
	}
	return mcp.NewToolResultStructured(json.RawMessage(text), string(text))
}

func (e Expert) read(ctx context.Context, text string, said []core.Message) (bid core.Bid) {
	defer func() {
		if recover() != nil {
			bid = core.Bid{}
		}
	}()
	return e.Bid(ctx, text, said)
}
