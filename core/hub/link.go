package hub

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/yaap"
)

// Link is an open way to one expert, however it is reached.
type Link interface {
	// Tools lists what the expert can do now. Names are the expert's own.
	Tools(ctx context.Context) ([]core.ToolSpec, error)
	// Call makes one call; c.Tool is the expert's own name of the tool. The
	// text of the result is as the expert sent it, up to the link's limit.
	// The error is ctx's when ctx ended, or wraps [ErrGone] when the expert
	// went away before it answered. Call may block past the end of ctx when
	// the expert does not read; the hub does not wait for it.
	Call(ctx context.Context, c core.Call) (core.ToolResult, error)
	// Signals reports what an expert says or shows without being asked.
	// The channel holds a few and drops repeats; it is never closed.
	Signals() <-chan Signal
	// Done is closed when the expert cannot be reached any more.
	Done() <-chan struct{}
	// Err says why, in words, once Done is closed; nil for a clean end.
	Err() error
	// Close ends the expert and returns when all that belonged to it is gone.
	// It may be called more than once.
	Close() error
}

// OutcomeNotifier is a [Link] that can tell its expert what became of it.
type OutcomeNotifier interface {
	Welcome(tool string) // it is in the room under this tool name
	Bye(reason string)   // its goodbye was heard
}

// StderrReporter is a [Link] whose expert prints to standard error.
type StderrReporter interface {
	Stderr() []string // the last lines, oldest first, safe for a terminal
}

// OmittedToolsReporter is a [Link] whose expert may have tools that cannot be called.
type OmittedToolsReporter interface {
	Omitted() []string // of the last list, each with the reason
}

// LeaveReasonReporter is a [Link] whose expert may say why it leaves.
type LeaveReasonReporter interface {
	Farewell() string // empty when it said nothing
}

// SuspectReporter is a [Link] that notices when its expert is not heard of for a while,
// before it is lost.
type SuspectReporter interface {
	Suspect() bool
}

// Signal is something that an expert says or shows without being asked.
type Signal int

// What an expert may say or show.
const (
	ToolsChanged Signal = iota + 1
	SaysGoodbye
	SuspectChanged // what a [SuspectReporter] says of it changed
)

// ErrGone is wrapped by the errors of calls to an expert that went away.
var ErrGone = errors.New("the expert left")

// ErrSignIn is wrapped by the error of an [Opener] where a server wants the user to
// sign in before anything else.
var ErrSignIn = errors.New("it wants you to sign in")

// Spec is an expert that the hub shall start itself and keep running.
type Spec struct {
	Name    string            // its name in the room; empty = what it calls itself
	Command []string          // argv, run without a shell
	URL     string            // the address of a server that runs elsewhere, in place of a command
	Headers map[string]string // of each request to it; nobody is told the values
	SSE     bool              // it is reached by the transport of 2024
	OAuth   core.OAuthClient  // as whom the user is signed in to the server; nobody is told its secret
	Env     []string          // names of variables that are passed on to it, beside PATH, HOME, LANG, TZ and TMPDIR
	Vars    map[string]string // variables that it is given with these values; nobody is told the values
	Dir     string            // working directory; empty = the room's
	Timeout time.Duration     // of a call; 0: what it says itself
	Only    []string          // its tools that are offered, as it calls them; empty: all
	Without []string          // its tools that are not offered
	Roots   []string          // directories that it is told it may look into
	Samples bool              // it may use the room's model
	Log     string            // one of [core.LogLevels]: what it logs below that is not reported; empty: warning
	Trusted bool              // the user vouches for it: it is called without asking, and may change what it says of itself
}

// Title is what the expert is called before it has said hello: the name that the
// user gave it, or one made of the last word of its command that will do, so
// "python3 birds/heron.py --loud" is heron.
func (s Spec) Title() string {
	if s.Name != "" {
		return s.Name
	}
	if address, err := url.Parse(s.URL); err == nil && s.URL != "" {
		labels := strings.Split(address.Hostname(), ".")
		if name := yaap.MakeName(labels[max(len(labels)-2, 0)]); yaap.CheckName(name) == nil {
			return name
		}
	}
	for _, word := range slices.Backward(s.Command) {
		if strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \t\n") {
			continue
		}
		base := filepath.Base(word)
		name := yaap.MakeName(strings.TrimSuffix(base, filepath.Ext(base)))
		if yaap.CheckName(name) == nil {
			return name
		}
	}
	return "expert"
}

// HasKey reports whether the user has given the server a key of its own.
func (s Spec) HasKey() bool {
	for name := range s.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

// line is what the expert is started with, or where it is.
func (s Spec) line() []string {
	if s.URL != "" {
		return []string{s.URL}
	}
	return s.Command
}

func (s Spec) transport() string {
	if s.URL != "" {
		return Remote
	}
	return Child
}

// offers reports whether a tool of the expert is wanted in the room.
func (s Spec) offers(tool string) bool {
	return (len(s.Only) == 0 || slices.Contains(s.Only, tool)) && !slices.Contains(s.Without, tool)
}

// Opener starts experts.
type Opener interface {
	// Open starts the expert of spec and shakes hands with it. ctx bounds the
	// handshake, life the expert: when life ends, so does the expert. What the
	// expert says of itself is not checked yet.
	Open(ctx, life context.Context, spec Spec) (Link, yaap.Introduction, error)
}
