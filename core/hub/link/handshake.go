package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

// handshake says hello in the older era of MCP, which every server of today
// knows, and in the newer one when the expert refuses that.
func (o *Opener) handshake(ctx, life context.Context, l *childLink, spec hub.Spec, carrier transport.Interface) (yaap.Introduction, error) {
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "yaap", Version: o.Version}
	l.keep = o.Keep

	var hello *mcp.InitializeResult
	var err error
	for _, version := range []string{mcp.LATEST_LEGACY_PROTOCOL_VERSION, mcp.LATEST_PROTOCOL_VERSION} {
		l.client = client.NewClient(carrier, append(o.serves(l, spec), client.WithDiscoverTimeout(5*time.Second))...)
		if err = l.client.Start(life); err != nil {
			return yaap.Introduction{}, err
		}
		request.Params.ProtocolVersion = version
		if hello, err = l.initialize(ctx, request); err == nil {
			break
		}
		if !errors.Is(err, mcp.ErrMethodNotFound) && !errors.As(err, new(mcp.UnsupportedProtocolVersionError)) {
			return yaap.Introduction{}, err
		}
	}
	if other := (mcp.UnsupportedProtocolVersionError{}); errors.As(err, &other) {
		err = core.Fail(core.CodeInvalid, fmt.Sprintf("it speaks the version %q of MCP; here %s are spoken",
			safe.Cut(other.Version, maxQuoted), strings.Join(mcp.ValidProtocolVersions, ", ")), "")
	}
	if err != nil {
		return yaap.Introduction{}, err
	}
	l.log.told, l.watch.told = o.Log, o.Changed
	l.client.OnNotification(l.notified)
	l.setLogLevel(ctx, spec)
	if mcp.IsModernProtocol(l.client.ProtocolVersion()) {
		l.listen()
	}
	return l.introduction(spec, hello)
}

// initialize ends early when the child does.
func (l *childLink) initialize(ctx context.Context, request mcp.InitializeRequest) (*mcp.InitializeResult, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result *mcp.InitializeResult
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := l.client.Initialize(ctx, request)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-l.way.done():
		return nil, hub.ErrGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// introduction is what the child said of itself, or what can be read off an
// ordinary server. A name that the user gave counts more than its own. A hello
// that breaks the contract is refused: its author wants to know.
func (l *childLink) introduction(spec hub.Spec, hello *mcp.InitializeResult) (yaap.Introduction, error) {
	if said := hello.Capabilities.Experimental[yaap.Capability]; said != nil {
		own, err := childHello(said)
		if err != nil {
			return yaap.Introduction{}, err
		}
		in := own.Introduction
		l.own = in.Name
		l.strict()
		in.Name = cmp.Or(spec.Name, in.Name)
		l.name = in.Name
		return in, nil
	}
	in := yaap.Introduction{Name: spec.Name, Adopted: true}
	in.Name = cmp.Or(in.Name, adoptedName(hello.ServerInfo.Name))
	in.Description = hub.Description(hello.Instructions) // without any, the hub makes one of what its tools say
	l.name = in.Name
	return in, nil
}

func childHello(said any) (own yaap.ChildHello, err error) {
	if keys, ok := said.(map[string]any); ok { // encoding/json would take ACTS for acts
		maps.DeleteFunc(keys, func(key string, _ any) bool { return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "" })
	}
	raw, err := json.Marshal(said)
	if err == nil {
		err = json.Unmarshal(raw, &own)
	}
	if err != nil {
		return own, yaap.Refuse(yaap.BadSchema, "its hello cannot be read: %s", yaap.ExplainDecodeError(err))
	}
	if own.V != yaap.Version {
		return own, yaap.Refuse(yaap.BadVersion, "its hello has v %d: this room speaks yaap %d", own.V, yaap.Version)
	}
	return own, nil
}

// adoptedName makes a name that the rules allow out of a server's own:
// "mcp-servers/everything" becomes everything.
func adoptedName(own string) string {
	name := yaap.MakeName(own[strings.LastIndex(own, "/")+1:])
	for _, filler := range []string{"server-", "mcp-", "-server", "-mcp"} {
		name = strings.TrimSuffix(strings.TrimPrefix(name, filler), filler)
	}
	if yaap.CheckName(name) != nil {
		return "adopted"
	}
	return name
}
