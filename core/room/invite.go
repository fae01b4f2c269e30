package room

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/yaap"
)

// otherName is what to type where a guest cannot come in under its name.
const otherName = "choose another name: yaap join --name NAME -- COMMAND"

// takeIn has an MCP server of another terminal in the room until ctx ends, it leaves,
// or the user takes it out. joined is told when it is in.
func (r *Room) takeIn(ctx context.Context, i server.Invitation, joined func(string)) error {
	spec, err := guestSpec(i)
	if err != nil {
		return err
	}
	if _, err := r.hub.Expert(spec.Name); err == nil {
		return &yaap.Refusal{Code: yaap.NameTaken, Message: spec.Name + " is in the room already", Hint: otherName}
	}
	err = r.trust.AdmitListed(ctx, core.ToolSpec{ // it blocks until the user has let that very command in
		Name: spec.Name, Owner: spec.Name, Origin: hub.Origin("joined", i.Command, i.Dir),
		Description: "another terminal brings it: its command runs there, and its tools are in this room until it leaves",
	}, map[string]any{"runs": safe.Line(core.JoinWords(i.Command)), "in": safe.Line(i.Dir)})
	if err != nil {
		return err
	}
	feed := r.bus.Feed()
	defer feed.Close()
	if err := r.hub.Add(ctx, spec); err != nil {
		return err
	}
	defer func() { _ = r.hub.Remove(context.WithoutCancel(ctx), spec.Name) }() // it may have left
	for e := range feed.All(ctx) {
		switch b := e.Body.(type) {
		case core.ExpertJoined:
			if b.Name == spec.Name {
				joined(fmt.Sprintf("%s is in the room of %s with %s", b.Name, r.Config.Dir, text.Count(len(b.Tools), "tool", "tools")))
			}
		case core.ExpertLeft:
			if b.Name == spec.Name {
				return yaap.Refuse(yaap.Denied, "%s left: %s", b.Name, cmp.Or(b.Detail, string(b.Reason)))
			}
		case core.ExpertStatus:
			if b.Name == spec.Name && b.State != core.ExpertJoining {
				return yaap.Refuse(yaap.Denied, "%s could not join: %s", b.Name, cmp.Or(b.Message, string(b.State)))
			}
		default:
		}
	}
	return ctx.Err()
}

// guestSpec is how the guest of an invitation is reached: on this machine alone.
func guestSpec(i server.Invitation) (hub.Spec, error) {
	at, err := url.Parse(i.URL)
	if err != nil || at.Scheme != "http" || !net.ParseIP(at.Hostname()).IsLoopback() {
		return hub.Spec{}, yaap.Refuse(yaap.BadSchema, "an MCP server joins by an address of this machine")
	}
	if len(i.Command) == 0 {
		return hub.Spec{}, yaap.Refuse(yaap.BadSchema, "it is not said what joins")
	}
	name := cmp.Or(i.Name, hub.Spec{Command: i.Command}.Title())
	if err := yaap.CheckName(name); err != nil {
		return hub.Spec{}, &yaap.Refusal{Code: yaap.BadName, Message: err.Error(), Hint: otherName}
	}
	return hub.Spec{Name: name, URL: i.URL, Headers: map[string]string{"Authorization": "Bearer " + i.Token}}, nil
}
