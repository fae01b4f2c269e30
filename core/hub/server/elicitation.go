package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const programAskTime = 10 * time.Minute // for the user of a program to fill something in

// withProgramAsker returns the context that a call of a program lasts for. What experts ask
// meanwhile is for the user of that program, where it can ask.
func withProgramAsker(ctx context.Context) context.Context {
	lasts := alive(ctx)
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok || server.IsModernRequest(ctx) {
		return lasts
	}
	can := session.GetClientCapabilities().Elicitation
	if can == nil {
		return lasts
	}
	return core.WithAsker(lasts, program{ctx, server.ServerFromContext(ctx), *can})
}

// program asks the user of the program that a request came from. It implements
// [core.Asker].
type program struct {
	request context.Context //nolint:containedctx // it names the connection of the program
	server  *server.MCPServer
	can     mcp.ElicitationCapability
}

// Ask implements [core.Asker].
func (p program) Ask(ctx context.Context, pause core.Pause) (core.Answer, error) {
	params := mcp.ElicitationParams{Message: safe.Sprintf("%s asks: ", pause.From) + safe.Text(pause.Question)}
	able := p.can.Form != nil || p.can.URL == nil // one that says nothing has forms
	if pause.URL != "" {
		able = p.can.URL != nil
		params.Mode, params.URL, params.ElicitationID = mcp.ElicitationModeURL, pause.URL, Secret(callIDBytes)
	} else {
		params.RequestedSchema = json.RawMessage(safe.JSON(string(pause.Schema)))
	}
	if pause.Kind != core.PauseElicitation || !able {
		return core.Answer{ID: core.Decline}, nil
	}
	asked, cancel := context.WithTimeout(p.request, programAskTime)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	got, err := p.server.RequestElicitation(asked, mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: params}) //nolint:contextcheck // it goes over the connection of the request
	switch {
	case err != nil:
		return core.Answer{}, err
	case got.Action == mcp.ElicitationResponseActionDecline:
		return core.Answer{ID: core.Decline}, nil
	case got.Action != mcp.ElicitationResponseActionAccept:
		return core.Answer{}, core.Fail(core.CodeRefused, "the user of the program did not answer", "call it again")
	}
	data, err := json.Marshal(got.Content)
	return core.Answer{ID: core.Accept, Data: data, By: "user", Time: time.Now()}, err
}
