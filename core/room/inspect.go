package room

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bridge"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	inspectEvery = 250 * time.Millisecond // whether something was stored
	roomEvery    = time.Second            // whether a room opened or closed
	askRoomTime  = 2 * time.Second
	inspected    = 5000 // events from before
)

// Inspectors are the parts of a room that can be looked at from another terminal.
func Inspectors() []string {
	return []string{"experts", "events", "chain", "memory", "wire", "audit"}
}

func inspectCommand() Command {
	return Command{
		Command: core.Command{Name: "inspect", Args: "[" + strings.Join(Inspectors(), "|") + "]", Does: "look into the room of this directory from another terminal, without changing it", Flags: []core.Flag{
			{Name: "follow", Letter: "f", Default: false, Does: "where there is no terminal: print what comes, too, until ctrl+c (events and wire)"},
			{Name: "file", Default: "", Does: "the frames that yaap --wire FILE or yaap wire --file FILE has written"},
			{Name: "output", Letter: "o", Default: "text", Does: "text, or json for lines of JSON, in a terminal, too"},
		}},
		Long: "Look at who is in the room of this directory, or of the nearest one above it, and at what\n" +
			"happens there, beside the window that runs it: the inspectors of the chat, one at a time,\n" +
			"tab or 1 to 6 for the next, ? for the keys, q to leave. Nothing is written and nothing is\n" +
			"locked. Without a room it shows what is stored. With --thread only one conversation.\n\n" +
			"The experts are known while a room is open. Frames are seen where the room records them,\n" +
			"yaap --wire FILE, or in a file, --file FILE. chain prints the picture of the last run, as\n" +
			"JSON the events of all of them. On a pipe it prints lines and ends.\n\n" +
			"Exit codes: 0 shown, 1 there is nothing to show, with the reason, 2 usage.",
		Most: 1, Where: atShell, Run: func(context.Context, *Call) (core.Doc, error) {
			return core.Doc{}, nil // the program shows it; see Inspect
		},
	}
}

// Inspection is what can be seen of a room without being in it: what is stored, who the
// open room says is in it, and the frames that it records. It changes nothing. All
// methods but Next may be called by any goroutine.
type Inspection struct {
	cfg    config.Config
	thread string
	file   string // of frames, that the user named
	tap    wire.Tap

	mu      sync.Mutex
	store   *store.Store   // nil: nothing is stored yet
	room    server.Address // zero: none is open
	experts []core.Expert

	// Of Next.
	begun  bool
	again  bool      // what changed is looked at once more
	stamp  string    // of what was read last
	last   int64     // the place of the last event
	looked time.Time // for a room
	frames wire.Reader
}

// Inspect begins to look. Close it when nobody looks any more.
func Inspect(ctx context.Context, c *Call) (*Inspection, error) {
	i := &Inspection{cfg: c.Config, thread: c.Thread, file: c.text("file")}
	if room, ok := server.Nearest(server.Rooms(i.cfg.RunDirs), i.cfg.Dir); ok {
		i.cfg.Dir = room.Dir
	}
	err := i.open(ctx)
	if core.CodeOf(err) == core.CodeNotFound && i.thread == "" {
		err = nil // it may be later
	}
	if err == nil && i.thread != "" {
		var thread core.Thread
		thread, err = i.store.Thread(ctx, i.thread)
		i.thread = thread.ID
	}
	if i.file != "" && err == nil {
		i.frames.Path = i.file
		_, err = i.frames.ReadInto(&i.tap)
	}
	return i, err
}

// Close ends it.
func (i *Inspection) Close() error {
	if s := i.stored(); s != nil {
		return s.Close()
	}
	return nil
}

// open looks at what is stored, where that is not looked at yet.
func (i *Inspection) open(ctx context.Context) error {
	if i.stored() != nil {
		return nil
	}
	s, err := store.OpenReadOnly(ctx, i.cfg.StateDir)
	if err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.store = s
	return nil
}

func (i *Inspection) stored() *store.Store {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.store
}

// Next returns what has happened since the last call, the first time what happened
// before; and nothing when a room has opened or closed, frames have come, or the experts
// are others. It blocks until then. One goroutine calls it.
func (i *Inspection) Next(ctx context.Context) ([]core.Event, error) {
	tick := time.NewTicker(inspectEvery)
	defer tick.Stop()
	for {
		other := i.findRoom()
		frames, _ := i.frames.ReadInto(&i.tap) // what cannot be read now is read later
		events, stored := i.events(ctx)
		others := false
		if other || stored || i.again {
			var settled bool
			others, settled = i.askWho(ctx)
			i.again = other || stored || !settled
		}
		if other || len(events) > 0 || frames > 0 || others || !i.begun {
			i.begun = true
			return events, ctx.Err()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// events are those that were stored since the last time, and whether something was. What
// fails, fails the next time, too, or it does not.
func (i *Inspection) events(ctx context.Context) (_ []core.Event, stored bool) {
	if i.open(ctx) != nil {
		return nil, false
	}
	s := i.stored()
	stamp := s.Stamp()
	if stored = stamp != i.stamp; !stored && !i.again {
		return nil, false
	}
	q := store.EventQuery{Dir: i.cfg.Dir, Thread: i.thread, After: i.last}
	if i.last == 0 {
		q.Limit = inspected
	}
	events, last, err := s.EventsAfter(ctx, q)
	if err != nil {
		return nil, stored
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stamp, i.last = stamp, last
	return events, stored
}

// findRoom looks now and then for the room of the directory, and reports whether it is
// another one.
func (i *Inspection) findRoom() bool {
	if time.Since(i.looked) < roomEvery {
		return false
	}
	i.looked = time.Now()
	room, ok := server.Nearest(server.Rooms(i.cfg.RunDirs), i.cfg.Dir)
	if !ok || room.Dir != i.cfg.Dir {
		room = server.Address{}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if room == i.room {
		return false
	}
	i.room = room
	if i.file == "" && room.Wire != "" {
		i.frames.Path = room.Wire
	}
	return true
}

// askWho asks the room that is open who is in it. It reports whether that is another answer,
// and whether it will hold: the room has answered, and nobody is at work.
func (i *Inspection) askWho(ctx context.Context) (others, settled bool) {
	var experts []core.Expert
	if i.Open() {
		ctx, cancel := context.WithTimeout(ctx, askRoomTime)
		defer cancel()
		var out bytes.Buffer
		door := bridge.Bridge{Dirs: i.cfg.RunDirs, Dir: i.cfg.Dir, Out: &out, Look: true}
		var answer struct {
			Result struct{ Contents []struct{ Text string } }
		}
		err := door.Run(ctx, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+expertsURI+`"}}`))
		if err != nil || json.Unmarshal(out.Bytes(), &answer) != nil || len(answer.Result.Contents) == 0 {
			return false, false // it closes, or has much to do: the next look tells
		}
		if json.Unmarshal([]byte(answer.Result.Contents[0].Text), &experts) != nil {
			return false, false
		}
	}
	busy := slices.ContainsFunc(experts, func(e core.Expert) bool { return e.State == core.ExpertBusy || e.State == core.ExpertJoining })
	i.mu.Lock()
	defer i.mu.Unlock()
	others = !reflect.DeepEqual(experts, i.experts)
	i.experts = experts
	return others, !busy
}

// Open reports whether a room is open in the directory.
func (i *Inspection) Open() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.room != server.Address{}
}

// Dir is the directory of the room.
func (i *Inspection) Dir() string { return i.cfg.Dir }

// Missing says why an inspector has nothing to show, and how it will.
func (i *Inspection) Missing(inspector string) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	dir, open := safe.Line(i.cfg.Dir), i.room != server.Address{}
	switch {
	case inspector == "wire" && i.file != "":
		return "There is no frame in " + safe.Line(i.file) + " yet."
	case inspector == "wire" && open && i.room.Wire != "":
		return "Nothing has passed yet."
	case inspector == "wire" && open:
		return "The room of " + dir + " records no frames. Open it with yaap --wire FILE, or look at them in its own window: f3."
	case inspector == "wire":
		return "What passes is seen where a room records it: yaap --wire FILE opens one, yaap inspect wire --file FILE shows what one has recorded."
	case inspector == "experts" && !open:
		return "No room is open in " + dir + ", and only a room that is open knows who is in it: yaap opens one there, yaap serve one without a terminal."
	case inspector == "experts":
		return "Nobody is in the room."
	case i.last == 0:
		return "Nothing has happened in " + dir + " yet. yaap opens a room there, and what happens is seen here."
	case inspector == "chain":
		return "No chain has run in " + dir + " yet: yaap chain list shows those that there are, yaap chain run NAME runs one."
	case inspector == "memory":
		return "Nothing is remembered of " + dir + " yet. What is said in a room there will be."
	}
	return "Nothing has been answered yet."
}

// Experts are those in the room that is open.
func (i *Inspection) Experts() []core.Expert {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.experts
}

// Graph is a chain as it is written, without states.
func (i *Inspection) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	return writtenGraph(i.cfg, runner)
}

// RunEvents are the stored events of a run and of those below it.
func (i *Inspection) RunEvents(ctx context.Context, run string) ([]core.Event, error) {
	if s := i.stored(); s != nil {
		return s.RunEvents(ctx, run)
	}
	return nil, nil
}

// Exchange is what is stored of a request of a run to a model.
func (i *Inspection) Exchange(ctx context.Context, run, call string) (core.Exchange, error) {
	s := i.stored()
	if s == nil {
		return core.Exchange{}, noExchange()
	}
	return storedExchange(ctx, s, run, call)
}

// Audit are rows of the audit log.
func (i *Inspection) Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	s := i.stored()
	if s == nil {
		return nil, nil
	}
	q.Thread = i.thread
	return s.Audit(ctx, q)
}

// VerifyAudit checks the whole audit log.
func (i *Inspection) VerifyAudit(ctx context.Context) (core.AuditReport, error) {
	if s := i.stored(); s != nil {
		return s.VerifyAudit(ctx, core.AuditHead{})
	}
	return core.AuditReport{}, nil
}

// Memory is what is remembered of the directory. Searches go by words.
func (i *Inspection) Memory(ctx context.Context, q core.MemoryQuery) (core.MemoryView, error) {
	s := i.stored()
	if s == nil {
		return core.MemoryView{}, nil
	}
	v, err := viewed(ctx, s, MemoryOf(i.cfg.Dir), s.Search, q)
	v.Waiting = len(v.Messages)
	return v, err
}

// Wire is where the frames are that were recorded.
func (i *Inspection) Wire() *wire.Tap { return &i.tap }
