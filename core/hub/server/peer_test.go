package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// guest is an expert that the test plays itself, one request at a time.
type guest struct {
	caller
	t     testing.TB
	lease string
}

func (r *room) guest(h yaap.Hello) *guest {
	r.t.Helper()
	g := &guest{caller: caller{r.address(), "/yaap"}, t: r.t}
	var welcome yaap.Welcome
	g.must(yaap.ToolHello, h, &welcome)
	g.lease = welcome.Lease
	if welcome.Tool != h.Name || len(g.lease) != 32 || welcome.PollMS != 20_000 || welcome.LeaseMS != 45_000 || welcome.MaxReplyBytes != 1<<20 {
		r.t.Errorf("got %+v", welcome)
	}
	return g
}

// openTo opens a room that the guest is in.
func openTo(t *testing.T, h yaap.Hello) (*room, *guest) {
	r := open(t)
	return r, r.guest(h)
}

// must calls a tool and wants no refusal.
func (g *guest) must(tool string, args, answer any) {
	g.t.Helper()
	if refusal, err := g.call(g.t.Context(), tool, args, answer); err != nil || refusal != nil {
		g.t.Fatal(tool, err, refusal)
	}
}

// next polls until there is something. It may be called from any goroutine.
func (g *guest) next() yaap.Event {
	g.t.Helper()
	for {
		var got yaap.Events
		refusal, err := g.call(g.t.Context(), yaap.ToolNext, yaap.Next{Lease: g.lease}, &got)
		if refusal != nil && refusal.Code == yaap.TooMany { // open holds a place
			continue
		}
		if err != nil || refusal != nil {
			g.t.Error("there was no event:", err, refusal)
			return yaap.Event{}
		}
		if len(got.Events) > 0 {
			return got.Events[0]
		}
	}
}

// open waits until two polls are open: then a third one is refused.
func (g *guest) open() {
	g.t.Helper()
	for {
		refusal := must.Get(g.call(g.t.Context(), yaap.ToolNext, yaap.Next{Lease: g.lease, WaitMS: 1}, new(yaap.Events)))(g.t)
		if refusal != nil {
			return
		}
	}
}

// refused calls a tool and wants a refusal with that code.
func (c caller) refused(t *testing.T, tool string, args any, code string) {
	t.Helper()
	if got := must.Get(c.call(t.Context(), tool, args, new(any)))(t); got == nil || got.Code != code || got.Message == "" {
		t.Errorf("%s %.200v: got %+v, want %s", tool, args, got, code)
	}
}

// fish wants that the call is answered with it.
func fish(t *testing.T, done <-chan core.ToolResult) {
	t.Helper()
	if got := <-done; !got.OK() || got.Text != "fish" {
		t.Errorf("got %+v", got)
	}
}

func (g *guest) reply(id, text string) bool {
	g.t.Helper()
	var accepted yaap.Accepted
	g.must(yaap.ToolReply, yaap.Reply{Lease: g.lease, CallID: id, OK: true, Text: text}, &accepted)
	return accepted.Accepted
}

// ask calls an expert from the room's side.
func (r *room) ask(ctx context.Context, name string, edits ...func(*core.Call)) <-chan core.ToolResult {
	r.t.Helper()
	tool, ok := r.Tools().Find(name)
	if !ok {
		r.t.Fatalf("there is no tool %s", name)
	}
	c := core.Call{ID: "1", Tool: name, Args: json.RawMessage(`{"prompt":"hi"}`)}
	for _, edit := range edits {
		edit(&c)
	}
	done := make(chan core.ToolResult, 1)
	go func() {
		result, _ := tool.Call(ctx, c)
		done <- result
	}()
	return done
}

func limited(name string, ms int) yaap.Hello {
	h := hello(name, "")
	h.CallTimeoutMS = ms
	return h
}

func TestACallIsAnEventWithAllThatTheExpertNeeds(t *testing.T) {
	r := open(t)
	hello := limited("newt", 7000)
	hello.Context = true
	g := r.guest(hello)
	said := []core.Message{{Role: core.RoleUser, Text: "hello"}, {Role: core.RoleAssistant, Reply: &core.Reply{Thought: "secret", Message: "hi"}}}
	done := r.ask(t.Context(), "newt", func(c *core.Call) { c.Context, c.Scope.Depth = said, 1 })
	e := g.next()
	if e.Type != yaap.EventCall || string(e.Arguments) != `{"prompt":"hi"}` || e.Depth != 2 || e.DeadlineMS <= 5000 || e.DeadlineMS > 7000 {
		t.Errorf("got %+v", e)
	}
	if len(e.Context) != 2 || e.Context[1] != (yaap.Utterance{Role: "assistant", Text: "hi"}) {
		t.Errorf("got the context %+v", e.Context)
	}
	if !g.reply(e.CallID, "fish") {
		t.Error("the answer was not accepted")
	}
	fish(t, done)
	if g.reply(e.CallID, "more fish") {
		t.Error("a second answer was accepted")
	}
}

func TestAnAnswerThatIsNotOKIsTheExpertsError(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	done := r.ask(t.Context(), "newt")
	e := g.next()
	g.must(yaap.ToolReply, yaap.Reply{Lease: g.lease, CallID: e.CallID, Text: "no fish"}, new(yaap.Accepted))
	if got := <-done; got.OK() || got.Code != core.ToolCodeExecutionFailed || got.Text != "no fish" {
		t.Errorf("got %+v", got)
	}
}

// poll polls once, and says which events it has.
func (g *guest) poll(ack int64) yaap.Events {
	g.t.Helper()
	var got yaap.Events
	g.must(yaap.ToolNext, yaap.Next{Lease: g.lease, WaitMS: 1, Ack: &ack}, &got)
	return got
}

// It may be the same call, which a room that was killed had made before.
func TestAPeerIsToldTheKeyOfItsCall(t *testing.T) {
	r := open(t)
	newt := hello("newt", "")
	newt.Concurrency = 2
	g := r.guest(newt)
	for range 2 {
		done := r.ask(t.Context(), "newt", func(c *core.Call) { c.Key = "5ca1ab1e" })
		e := g.next()
		if e.CallID != "5ca1ab1e" || !g.reply(e.CallID, "fish") {
			t.Fatalf("got %+v", e)
		}
		fish(t, done)
	}
	first := r.ask(t.Context(), "newt", func(c *core.Call) { c.Key = "5ca1ab1e" })
	second := r.ask(t.Context(), "newt", func(c *core.Call) { c.Key = "5ca1ab1e" })
	var both []yaap.Event
	for ack := int64(0); len(both) < 2; {
		got := g.poll(ack)
		both, ack = append(both, got.Events...), max(ack, got.Seq)
	}
	a, b := both[0], both[1]
	if a.CallID == b.CallID || !g.reply(a.CallID, "fish") || !g.reply(b.CallID, "fish") {
		t.Errorf("two calls at the same time: %+v, %+v", a, b)
	}
	<-first
	<-second
}

func TestACallWhoseEventWasLostOnTheWayIsSentAgain(t *testing.T) {
	r, g := openTo(t, limited("newt", 7000))
	done := r.ask(t.Context(), "newt")
	for len(g.poll(0).Events) == 0 { // it was asked; what came is taken for lost
	}
	again := g.poll(0)
	if len(again.Events) != 1 || again.Events[0].Type != yaap.EventCall || string(again.Events[0].Arguments) != `{"prompt":"hi"}` {
		t.Fatalf("got %+v", again)
	}
	if ms := again.Events[0].DeadlineMS; ms < 1 || ms > 7000 {
		t.Errorf("got the deadline %d", ms)
	}
	if got := g.poll(again.Seq); len(got.Events) != 0 || got.Seq != 0 {
		t.Errorf("it came although it was confirmed: %+v", got)
	}
	other := r.ask(t.Context(), "newt")
	next := g.poll(again.Seq)
	for len(next.Events) == 0 {
		next = g.poll(again.Seq)
	}
	if next.Seq <= again.Seq || len(next.Events) != 1 || next.Events[0].CallID == again.Events[0].CallID {
		t.Errorf("got %+v after %+v", next, again)
	}
	for result, call := range map[<-chan core.ToolResult]string{done: again.Events[0].CallID, other: next.Events[0].CallID} {
		if !g.reply(call, "fish") {
			t.Error("the answer was not accepted")
		}
		fish(t, result)
	}
	if got := g.poll(0); len(got.Events) != 0 {
		t.Errorf("what was answered came again: %+v", got)
	}
}

func TestACallThatWasGivenUpIsNotSentAgain(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	ctx, cancel := context.WithCancel(t.Context())
	done := r.ask(ctx, "newt")
	for len(g.poll(0).Events) == 0 {
	}
	cancel()
	<-done
	got := g.poll(0)
	for len(got.Events) == 0 || got.Events[0].Type == yaap.EventCall { // until the cancel comes
		got = g.poll(0)
	}
	if len(got.Events) != 1 || got.Events[0].Type != yaap.EventCancel {
		t.Errorf("got %+v", got)
	}
}

func TestAPeerThatConfirmsNothingIsSentNothingTwice(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	done := r.ask(t.Context(), "newt")
	e := g.next()
	var got yaap.Events
	g.must(yaap.ToolNext, yaap.Next{Lease: g.lease, WaitMS: 1}, &got)
	if len(got.Events) != 0 {
		t.Errorf("got %+v", got)
	}
	g.reply(e.CallID, "fish")
	<-done
}

func TestACancelReachesThePeerAndItsAnswerIsLate(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	ctx, cancel := context.WithCancel(t.Context())
	done := r.ask(ctx, "newt")
	e := g.next()
	cancel()
	<-done
	if got := g.next(); got.Type != yaap.EventCancel || got.CallID != e.CallID {
		t.Errorf("got %+v", got)
	}
	if g.reply(e.CallID, "fish") {
		t.Error("a late answer was accepted")
	}
	var accepted yaap.Accepted
	g.must(yaap.ToolProgress, yaap.Progress{Lease: g.lease, CallID: e.CallID}, &accepted)
	if accepted.Accepted {
		t.Error("late progress was accepted")
	}
}

func TestProgressIsHeardBesideItsCall(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	heard := make(chan core.ToolProgress, 1)
	done := r.ask(t.Context(), "newt", func(c *core.Call) { c.Progress = func(p core.ToolProgress) { heard <- p } })
	e := g.next()
	fraction := 7.5
	var accepted yaap.Accepted
	g.must(yaap.ToolProgress, yaap.Progress{Lease: g.lease, CallID: e.CallID, Message: "on\x1b[2J it", Fraction: &fraction}, &accepted)
	if got := <-heard; !accepted.Accepted || got != (core.ToolProgress{Message: "on it", Fraction: 1}) {
		t.Errorf("got %+v", got)
	}
	g.reply(e.CallID, "fish")
	<-done
}

func TestOnePeerCannotAnswerForAnother(t *testing.T) {
	r := open(t)
	newt, toad := r.guest(hello("newt", "")), r.guest(hello("toad", ""))
	done := r.ask(t.Context(), "newt")
	e := newt.next()
	if toad.reply(e.CallID, "forged") {
		t.Error("a forged answer was accepted")
	}
	newt.reply(e.CallID, "fish")
	fish(t, done)
}

func TestAnAnswerThatIsTooLargeIsRefusedAndMayBeMadeShorter(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	done := r.ask(t.Context(), "newt")
	e := g.next()
	half := strings.Repeat("x", yaap.MaxReply/2+1)
	for _, large := range []yaap.Reply{
		{Lease: g.lease, CallID: e.CallID, OK: true, Text: half + half},
		{Lease: g.lease, CallID: e.CallID, OK: true, Text: half, Data: map[string]any{"a": half}},
	} {
		g.refused(t, yaap.ToolReply, large, yaap.TooLarge)
	}
	if !g.reply(e.CallID, strings.Repeat("x", yaap.MaxReply)) {
		t.Error("the shorter answer was not accepted")
	}
	<-done
}

func TestAnAnswerOfAPeerThatCannotBeReadFailsItsCallAtOnce(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	for _, wrong := range []map[string]any{{"text": 5, "ok": true}, {"text": "x", "ok": "yes"}, {"text": "x", "data": []any{1}}} {
		done := r.ask(t.Context(), "newt")
		wrong["lease"], wrong["call_id"] = g.lease, g.next().CallID
		g.refused(t, yaap.ToolReply, wrong, yaap.BadSchema)
		select {
		case got := <-done:
			if got.Code != core.ToolCodeMalformedResponse || !strings.Contains(got.Text, "must be") {
				t.Errorf("got %+v", got)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%v: the call waits", wrong)
		}
	}
}

func TestAPeerThatSaidGoodbyeMayFinishAndIsToldBye(t *testing.T) {
	r, g := openTo(t, hello("newt", ""))
	done := r.ask(t.Context(), "newt")
	e := g.next()
	var ok yaap.OK
	g.must(yaap.ToolGoodbye, yaap.Goodbye{Lease: g.lease}, &ok)
	if _, there := r.Tools().Find("newt"); there || !ok.OK {
		t.Error("it is still in the list")
	}
	bye := make(chan yaap.Event, 2)
	for range 2 {
		go func() { bye <- g.next() }()
	}
	g.open()
	if !g.reply(e.CallID, "fish") {
		t.Error("its last answer was not accepted")
	}
	fish(t, done)
	for range 2 {
		if got := <-bye; got.Type != yaap.EventBye || got.Reason != "goodbye" {
			t.Errorf("got %+v", got)
		}
	}
}

func TestTheThirdPollOfALeaseIsRefused(t *testing.T) {
	_, g := openTo(t, hello("newt", ""))
	ctx, cancel := context.WithCancel(t.Context())
	codes := make(chan string, 3)
	var polls sync.WaitGroup
	for range 3 {
		polls.Go(func() {
			refusal, err := g.call(ctx, yaap.ToolNext, yaap.Next{Lease: g.lease}, new(yaap.Events))
			if err == nil && refusal != nil {
				codes <- refusal.Code
			}
		})
	}
	must.Equal(t, yaap.TooMany, <-codes)
	cancel()
	polls.Wait()
}

func TestAFullRoomLetsNoPeerIn(t *testing.T) {
	r := open(t)
	for i := range 256 {
		name := fmt.Sprint("bird-", i)
		must.Get(r.Join(t.Context(), hub.Entry{Introduction: yaap.Introduction{Name: name, Description: "x"}, Transport: hub.Peer, Link: still{}}))(t)
	}
	caller{r.address(), "/yaap"}.refused(t, yaap.ToolHello, hello("newt", ""), yaap.TooMany)
}

// still is a link to nobody.
type still struct{}

func (still) Tools(context.Context) ([]core.ToolSpec, error) { return nil, nil }
func (still) Call(context.Context, core.Call) (core.ToolResult, error) {
	return core.ToolResult{}, hub.ErrGone
}
func (still) Signals() <-chan hub.Signal { return nil }
func (still) Done() <-chan struct{}      { return nil }
func (still) Err() error                 { return nil }
func (still) Close() error               { return nil }

func TestAPeerThatIsKilledDuringACallFailsIt(t *testing.T) {
	t.Parallel()
	r := open(t)
	r.address()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "peer", r.dir, "mute")
	cmd.Stderr = os.Stderr
	stdin := must.Get(cmd.StdinPipe())(t)
	defer stdin.Close() //nolint:errcheck // it is killed
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	r.joined("newt")
	done := r.ask(t.Context(), "newt")
	must.Get(stdout.Read(make([]byte, 1)))(t) // it has the call
	must.Do(t, cmd.Process.Kill())
	if got := <-done; got.Code != core.ToolCodeExpertLeft || !strings.Contains(got.Text, "newt left the room (its connection ended)") {
		t.Errorf("got %+v", got)
	}
	_ = cmd.Wait()
}

func TestABodyThatDoesNotArriveIsNotWaitedForLong(t *testing.T) {
	t.Parallel() // it takes its time
	r := open(t)
	a := r.address()
	conn := must.Get((&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(a.URL, "http://")))(t)
	defer conn.Close() //nolint:errcheck // it was read to its end
	must.Get(fmt.Fprintf(conn, "POST /yaap HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", a.Token))(t)
	start := time.Now()
	raw, err := io.ReadAll(conn)
	if took := time.Since(start); err != nil || took > 20*time.Second || !bytes.Contains(raw, []byte("408 Request Timeout")) {
		t.Errorf("got %q, %v after %s", raw, err, took)
	}
}

func TestNobodyCancelsTheCallOfAnotherClient(t *testing.T) {
	r := open(t)
	a := r.address()
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications\/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/c\u0061ncelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","METHOD":"notifications/cancelled","params":{"requestId":1}}`,
	} {
		g := &guest{caller: caller{a, "/yaap"}, t: t}
		var welcome yaap.Welcome
		g.must(yaap.ToolHello, hello("newt", "one"), &welcome)
		g.lease = welcome.Lease
		polled := make(chan yaap.Event, 1)
		go func() { polled <- g.next() }()
		response, err := g.post(t.Context(), []byte(body))
		must.Do(t, err)
		_ = response.Body.Close()
		if response.StatusCode != http.StatusAccepted {
			t.Errorf("%s: got %s", body, response.Status)
		}
		done := r.ask(t.Context(), "newt")
		e := <-polled
		g.reply(e.CallID, "fish")
		fish(t, done)
	}
}

func TestALeaseAndTheTokenAreNeverWrittenDown(t *testing.T) {
	var log lockedBuffer
	r := openWith(t, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	feed := r.bus.Feed()
	g := r.guest(hello("newt", "one"))
	done := r.ask(t.Context(), "newt")
	g.reply(g.next().CallID, "fish")
	<-done
	_ = must.Get(g.call(t.Context(), yaap.ToolReply, map[string]any{"lease": g.lease, "call_id": 1}, new(any)))(t)
	g.must(yaap.ToolGoodbye, yaap.Goodbye{Lease: g.lease}, new(yaap.OK))
	events := must.Get(feed.Next(t.Context()))(t)
	seen := must.Get(json.Marshal([]any{events, r.Experts(), r.Tools().Specs()}))(t)
	for where, text := range map[string]string{"log": log.String(), "events and lists": string(seen)} {
		if strings.Contains(text, g.lease) || strings.Contains(text, g.Token) {
			t.Errorf("it is in the %s: %s", where, text)
		}
	}
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestAnExpertCannotPretendToBeLessDeep(t *testing.T) {
	r := open(t)
	caller{r.address(), "/mcp"}.refused(t, yaap.ToolChat, map[string]any{"prompt": "hi", "depth": -1}, yaap.Denied)
}
