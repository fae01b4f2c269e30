// Package wire records the traffic of the room: every frame to and from an expert or a
// caller, and every request to a model.
//
// A [Tap] is off until there is a reader. Then it keeps the last frames, without
// secrets, each answer with the number of its request. While it is off a frame costs one
// atomic load.
package wire

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/guard"
)

const (
	// MaxFrames is how many frames a tap keeps.
	MaxFrames = 2000
	// MaxKept is how many bytes of them it keeps.
	MaxKept = 16 << 20
	// MaxText is how many bytes of one frame are kept.
	MaxText = 64 << 10

	margin  = 4 << 10 // bytes beyond MaxText in which a secret that begins before it is found
	maxOpen = 1024    // requests of a line that are remembered until their answers
	maxWord = 200     // bytes of a method and of an id
)

// Direction is that of a frame, as the room sees it.
type Direction string

// The directions.
const (
	Out Direction = "out" // to an expert, a caller or a model
	In  Direction = "in"  // from one
)

// Kind is what a frame is.
type Kind string

// The kinds of frames.
const (
	Request      Kind = "request"
	Answer       Kind = "answer"
	Failure      Kind = "error" // an answer that says what failed
	Notification Kind = "notification"
	Noise        Kind = "noise" // bytes that are no message
)

// Frame is one message.
type Frame struct {
	Seq    uint64    `json:"seq"`
	Time   time.Time `json:"time"`
	Dir    Direction `json:"dir"`
	Who    string    `json:"who"`
	Via    string    `json:"via"` // stdio, http or model
	Kind   Kind      `json:"kind"`
	Method string    `json:"method,omitempty"` // an answer has that of its request
	Tool   string    `json:"tool,omitempty"`   // or the prompt, that is named
	ID     string    `json:"id,omitempty"`     // as it is written in JSON
	To     uint64    `json:"to,omitempty"`     // the number of the request that it answers
	MS     float64   `json:"ms,omitempty"`     // since that request
	Size   int       `json:"size"`             // in bytes
	Cut    bool      `json:"cut,omitempty"`    // Text is only the first [MaxText] bytes of it
	Text   Text      `json:"frame"`            // without secrets
}

// Text is what a frame says: JSON where it is, else text.
type Text string

// MarshalJSON implements [json.Marshaler].
func (t Text) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(t)) {
		return []byte(t), nil
	}
	return json.Marshal(string(t))
}

// Tap records frames. A nil one is always off. All methods may be called
// from any goroutine.
type Tap struct {
	Now func() time.Time // the time of a frame; nil: [time.Now]

	watchers atomic.Int32

	mu     sync.Mutex
	frames []Frame
	size   int // bytes of their text
	seq    uint64
	before uint64 // of the frames that are taken: how many there were before number 1
	sinks  []func(Frame)
}

// On reports whether frames are recorded.
func (t *Tap) On() bool { return t != nil && t.watchers.Load() > 0 }

func (t *Tap) now() time.Time {
	if t.Now == nil {
		return time.Now()
	}
	return t.Now()
}

// Capture begins to record. The function that it returns ends that, once.
func (t *Tap) Capture() (end func()) {
	t.watchers.Add(1)
	return sync.OnceFunc(func() { t.watchers.Add(-1) })
}

// Subscribe records as long as there is a tap: sink gets each frame, one at a time and in
// order. It must not block.
func (t *Tap) Subscribe(sink func(Frame)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sinks = append(t.sinks, sink)
	t.watchers.Add(1)
}

// Since returns the recorded frames after number seq.
func (t *Tap) Since(seq uint64) []Frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.frames)
	if fresh := t.seq - min(seq, t.seq); fresh < uint64(n) {
		n = int(fresh) //nolint:gosec // it is less than a length
	}
	return append([]Frame(nil), t.frames[len(t.frames)-n:]...)
}

// add numbers and keeps a frame; t.mu is held.
func (t *Tap) add(f Frame) uint64 {
	t.seq++
	f.Seq = t.seq
	t.frames, t.size = append(t.frames, f), t.size+len(f.Text)
	for len(t.frames) > MaxFrames || t.size > MaxKept {
		t.size -= len(t.frames[0].Text)
		t.frames[0] = Frame{} // its text can go
		t.frames = t.frames[1:]
	}
	for _, sink := range t.sinks {
		sink(f)
	}
	return f.Seq
}

// Line is a connection between the room and another program, with request ids of its own:
// a pair of pipes, or an exchange over HTTP.
type Line struct {
	tap *Tap
	via string
	who atomic.Pointer[string]

	open map[string]asked // by direction and id; tap.mu guards it
}

// asked is a request that was not answered yet.
type asked struct {
	seq          uint64
	method, tool string
	at           time.Time
}

// Line makes a line to who. Via is stdio, http or model.
func (t *Tap) Line(who, via string) *Line {
	l := &Line{tap: t, via: via}
	l.SetName(who)
	return l
}

// SetName names the program at the other end.
func (l *Line) SetName(who string) { l.who.Store(&who) }

// On reports whether frames are recorded.
func (l *Line) On() bool { return l != nil && l.tap.On() }

// RecordRPC records a frame of JSON-RPC of size bytes, if the tap is on. Raw may be only
// the beginning of it.
func (l *Line) RecordRPC(dir Direction, raw []byte, size int) {
	if !l.On() || len(bytes.TrimSpace(raw)) == 0 {
		return
	}
	var m message
	f := Frame{Kind: Noise, Dir: dir, Size: size}
	if json.Unmarshal(raw, &m) == nil {
		f.Method, f.Tool, f.ID = word(string(m.Method)), word(string(m.Params)), word(string(m.ID))
		switch {
		case f.Method != "" && f.ID != "":
			f.Kind = Request
		case f.Method != "":
			f.Kind = Notification
		case bool(m.Error):
			f.Kind = Failure
		case bool(m.Result):
			f.Kind = Answer
		}
	}
	l.record(f, raw, size <= len(raw))
}

// RecordHTTP records a frame of an HTTP interface that is not JSON-RPC, so that the caller
// says its kind and method. An answer belongs to the last request. Raw may be a summary of
// the size bytes that were sent.
func (l *Line) RecordHTTP(dir Direction, kind Kind, method string, raw []byte, size int) {
	if l.On() {
		l.record(Frame{Kind: kind, Dir: dir, Method: word(method), Size: size}, raw, size <= maxBody)
	}
}

func (l *Line) record(f Frame, raw []byte, whole bool) {
	f.Time, f.Who, f.Via = l.tap.now(), *l.who.Load(), l.via
	f.Text, f.Cut = masked(raw, whole)
	t := l.tap
	t.mu.Lock()
	defer t.mu.Unlock()
	switch f.Kind {
	case Request:
		if l.open == nil || len(l.open) >= maxOpen {
			l.open = map[string]asked{}
		}
		seq := t.add(f)
		l.open[string(f.Dir)+f.ID] = asked{seq, f.Method, f.Tool, f.Time}
		return
	case Answer, Failure:
		key := string(Out) + f.ID
		if f.Dir == Out {
			key = string(In) + f.ID
		}
		if a, ok := l.open[key]; ok {
			f.To, f.Method, f.Tool = a.seq, a.method, a.tool
			f.MS = float64(f.Time.Sub(a.at).Microseconds()) / 1000
			delete(l.open, key)
		}
	case Notification, Noise:
	}
	t.add(f)
}

// message is the part of a frame that is parsed. Its result is not.
type message struct {
	ID     compact `json:"id"`
	Method method  `json:"method"`
	Params named   `json:"params"`
	Result there   `json:"result"`
	Error  there   `json:"error"`
}

type (
	there   bool
	compact string
	method  string
	named   string // the name in the parameters
)

func (t *there) UnmarshalJSON([]byte) error { *t = true; return nil }

func (c *compact) UnmarshalJSON(raw []byte) error {
	if string(raw) != "null" {
		*c = compact(raw)
	}
	return nil
}

func (n *named) UnmarshalJSON(raw []byte) error {
	var params struct {
		Name method `json:"name"`
	}
	_ = json.Unmarshal(raw, &params) // else they name nothing
	*n = named(params.Name)
	return nil
}

func (m *method) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*m = method(s)
	}
	return nil
}

// word is one of an untrusted frame, of bounded length and without secrets.
func word(s string) string {
	s, _ = guard.Mask(strings.ToValidUTF8(s[:min(len(s), maxWord)], "\uFFFD"))
	return s
}

// masked is the beginning of a frame without its secrets. Where it is cut, a secret
// that goes on beyond the end is left out.
func masked(raw []byte, whole bool) (text Text, cut bool) {
	raw = bytes.TrimRight(raw, "\r\n")
	policy := guard.Policy{Secrets: guard.Redact}
	if whole && len(raw) <= MaxText {
		clean, _ := policy.JSON(unleased(raw))
		if !utf8.Valid(clean) {
			clean = bytes.ToValidUTF8(clean, []byte("\uFFFD"))
		}
		return Text(clean), false
	}
	s, _ := guard.Mask(string(unleased(raw[:min(len(raw), MaxText+margin)])))
	return Text(strings.ToValidUTF8(s[:max(0, min(len(s)-margin, MaxText))], "")), true
}

// leased finds the leases of peers, which are keys to the room: in JSON, and in JSON
// within a string of it.
var leased = regexp.MustCompile(`(lease\\*"\s*:\s*\\*")[^"\\]+`)

func unleased(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`lease`)) {
		return raw
	}
	return leased.ReplaceAll(raw, []byte("${1}[secret: lease]"))
}
