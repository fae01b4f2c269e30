package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/anthropic/anthropictest"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/store"
)

const patience = time.Minute // for what another process is to do

// Every story runs the real program with real children, in directories of its
// own.
func TestStories(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         t.TempDir(), // which is gone afterwards: its own stays
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			s := &story{work: env.WorkDir, started: map[string]*job{}, watched: map[string]*diary{}}
			for _, v := range env.Vars {
				name, _, _ := strings.Cut(v, "=")
				s.names = append(s.names, name)
			}
			for name, value := range homes {
				env.Setenv(name, filepath.Join(env.WorkDir, value))
				s.names = append(s.names, name)
			}
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")   // nobody
			env.Setenv("YAAP_BID_MS", "10000")         // however busy the machine is
			env.Setenv("GORACE", "atexit_sleep_ms=10") // else every program of a race test ends a second late
			s.names = append(s.names, "OLLAMA_HOST", "GORACE", "YAAP_BID_MS")
			env.Values[storyKey{}] = s
			env.Defer(s.end)
			env.Defer(func() { s.checkAudit(t) })
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "python3" {
				_, err := exec.LookPath(name)
				return err == nil || os.Getenv("YAAP_CI") != "", nil // there nothing may be left out
			}
			if path, ok := strings.CutPrefix(name, "exists:"); ok {
				_, err := os.Stat(path)
				return err == nil, nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":    exitCommand,
			"pairs":   pairsCommand,
			"ollama":  func(ts *testscript.TestScript, _ bool, args []string) { startOllama(t, ts, args) },
			"serves":  func(ts *testscript.TestScript, _ bool, args []string) { startServer(t, ts, args) },
			"herons":  func(ts *testscript.TestScript, _ bool, _ []string) { ts.Setenv("SERVER", heronsBehindALogin(t).URL) },
			"watch":   watchCommand,
			"heard":   heardCommand,
			"gone":    goneCommand,
			"removed": removedCommand,
			"start":   startCommand,
			"printed": printedCommand,
			"signal":  signalCommand,
			"ended":   endedCommand,
			"nobody":  nobodyCommand,
			"clean":   cleanCommand,
			"once":    onceCommand,
			"bytes":   bytesCommand,
			"mode":    modeCommand,
			"thread":  threadCommand,
			"asked":   askedCommand,
			"stored":  storedCommand,
			"place":   placeCommand,
			"audited": auditedCommand,
			"final":   finalCommand,
			"tamper":  tamperCommand,
			"head":    headCommand,
		},
	})
}

// yaapIn is this program in a directory, with all that it keeps below it. It ends with the test.
func yaapIn(t testing.TB, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "yaap", args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "OLLAMA_HOST=127.0.0.1:1", "YAAP_BID_MS=10000", "GORACE=atexit_sleep_ms=10"}
	for name, value := range homes {
		cmd.Env = append(cmd.Env, name+"="+filepath.Join(dir, value))
	}
	return cmd
}

// homes are the directories of a user, below that of a test.
var homes = map[string]string{"XDG_STATE_HOME": "state", "XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "config", "HOME": "home"}

// story is what a script has going on.
type story struct {
	work    string
	names   []string // of the variables of its environment
	tampers bool     // with the database
	started map[string]*job
	watched map[string]*diary
}

type storyKey struct{}

func storyOf(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

// end kills what the script left, so that a failing one leaves nothing.
func (s *story) end() {
	for _, j := range s.started {
		_ = j.cmd.Process.Kill()
		<-j.ended
	}
	for _, d := range s.watched {
		d.close()
	}
}

// exit CODE COMMAND ARGS runs a command that must end with that code.
func exitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND ARGS")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("the exit code is %d, want %s", code, args[0])
	}
}

// job is a program in the background.
type job struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// start NAME COMMAND ARGS runs a command in the background and without a
// terminal. What it prints is in NAME.out and NAME.err.
func startCommand(ts *testscript.TestScript, _ bool, args []string) {
	s := storyOf(ts)
	path := args[1]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, path)); err == nil {
			path = filepath.Join(dir, path)
			break
		}
	}
	cmd := exec.Command(path, args[2:]...) //nolint:noctx // the story ends it
	cmd.Dir = ts.Getenv("WORK")
	processes.Detach(cmd)
	for _, name := range s.names {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	errors, err := os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	cmd.Stdout, cmd.Stderr = out, errors
	ts.Check(cmd.Start())
	j := &job{cmd: cmd, ended: make(chan struct{})}
	s.started[args[0]] = j
	go func() {
		_ = cmd.Wait() // the state says how it ended
		_, _ = out.Close(), errors.Close()
		close(j.ended)
	}()
}

// printed NAME TEXT waits until what was started under that name has printed it.
func printedCommand(ts *testscript.TestScript, _ bool, args []string) {
	done, tick := make(chan struct{}), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	var over atomic.Bool
	defer over.Store(true)
	path := ts.MkAbs(args[0] + ".out")
	go func() {
		for range tick.C {
			if raw, err := os.ReadFile(path); over.Load() || err == nil && strings.Contains(string(raw), args[1]) { //nolint:gosec // of the story
				close(done)
				return
			}
		}
	}()
	await(ts, done, args[0]+" to print "+args[1])
}

// signal NAME SIGNAL sends a signal to what was started under that name.
func signalCommand(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	ts.Check(storyOf(ts).started[args[0]].cmd.Process.Signal(signals[args[1]]))
}

// ended NAME CODE waits for what was started under that name. A killed program
// has the code -1.
func endedCommand(ts *testscript.TestScript, _ bool, args []string) {
	j := storyOf(ts).started[args[0]]
	await(ts, j.ended, args[0]+" to end")
	if code := j.cmd.ProcessState.ExitCode(); strconv.Itoa(code) != args[1] {
		ts.Fatalf("the exit code of %s is %d, want %s; it said:\n%s", args[0], code, args[1], ts.ReadFile(args[0]+".err"))
	}
}

func await(ts *testscript.TestScript, done <-chan struct{}, what string) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		ts.Fatalf("waited %v for %s", patience, what)
	}
}

// diary is a fifo that programs hold open for as long as they live.
type diary struct {
	path string
	gone chan struct{} // closed when the last of them has ended

	mu    sync.Mutex
	lines []string
	more  chan struct{} // closed and replaced with every line
}

// watch NAME makes the fifo NAME.
func watchCommand(ts *testscript.TestScript, _ bool, args []string) {
	d := &diary{path: ts.MkAbs(args[0]), gone: make(chan struct{}), more: make(chan struct{})}
	ts.Check(mkfifo(d.path))
	storyOf(ts).watched[args[0]] = d
	go d.read()
}

func (d *diary) read() {
	defer close(d.gone)
	f, err := os.Open(d.path)
	if err != nil {
		return
	}
	defer f.Close() //nolint:errcheck // it is only read
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		d.mu.Lock()
		d.lines = append(d.lines, lines.Text())
		close(d.more)
		d.more = make(chan struct{})
		d.mu.Unlock()
	}
}

// close ends a reader that nobody ever wrote to.
func (d *diary) close() {
	if f, err := os.OpenFile(d.path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		_ = f.Close()
	}
}

// heard NAME TEXT waits until a program that holds the fifo wrote that line.
func heardCommand(ts *testscript.TestScript, _ bool, args []string) {
	d := storyOf(ts).watched[args[0]]
	for {
		d.mu.Lock()
		found, more := slices.Contains(d.lines, args[1]), d.more
		d.mu.Unlock()
		if found {
			return
		}
		await(ts, more, args[1]+" from "+args[0])
	}
}

// gone NAME waits until every program that held the fifo has ended.
func goneCommand(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, storyOf(ts).watched[args[0]].gone, "the programs that hold "+args[0])
}

// removed FILE... waits until the files are not there.
func removedCommand(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.Now().Add(patience)
	for _, name := range args {
		for {
			if _, err := os.Stat(ts.MkAbs(name)); errors.Is(err, fs.ErrNotExist) {
				break
			}
			if time.Now().After(deadline) {
				ts.Fatalf("waited %v for the removal of %s", patience, name)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// nobody checks that no program is left that works in the story's directory.
func nobodyCommand(ts *testscript.TestScript, _ bool, _ []string) {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	ts.Check(err)
	for _, link := range links {
		if dir, err := os.Readlink(link); err == nil && dir == storyOf(ts).work {
			line, err := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			if err == nil && len(line) > 0 { // a zombie has none
				ts.Fatalf("%s is left running: %s", filepath.Base(filepath.Dir(link)), bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
			}
		}
	}
}

// once FILE TEXT checks that the text stands in the file exactly once.
func onceCommand(ts *testscript.TestScript, _ bool, args []string) {
	if n := strings.Count(ts.ReadFile(args[0]), args[1]); n != 1 {
		ts.Fatalf("%q stands %d times in %s:\n%s", args[1], n, args[0], ts.ReadFile(args[0]))
	}
}

// bytes FILE MAX checks that the file is not longer than that.
func bytesCommand(ts *testscript.TestScript, _ bool, args []string) {
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	if n := len(ts.ReadFile(args[0])); n > most {
		ts.Fatalf("%s has %d bytes, want at most %d", args[0], n, most)
	}
}

// mode FILE MODE checks who may do what with the file.
func modeCommand(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := fmt.Sprintf("%#o", info.Mode().Perm()); got != args[1] {
		ts.Fatalf("the mode of %s is %s, want %s", args[0], got, args[1])
	}
}

// final FILE STATUS JSON checks the answer of the last run in the events in
// FILE: its status, and that its data has at least what JSON has.
func finalCommand(ts *testscript.TestScript, _ bool, args []string) {
	var answer *core.Reply
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e core.Event
		ts.Check(json.Unmarshal([]byte(line), &e))
		if b, ok := e.Body.(core.FinalOutput); ok && e.Parent == "" {
			answer = &b.Reply
		}
	}
	if answer == nil {
		ts.Fatalf("%s has no answer", args[0])
	}
	var got, want any
	raw, err := json.Marshal(answer.Data)
	ts.Check(err)
	ts.Check(json.Unmarshal(raw, &got))
	ts.Check(json.Unmarshal([]byte(args[2]), &want))
	if string(answer.Status) != args[1] || !includes(got, want) {
		ts.Fatalf("the answer is %s %s, want %s %s", answer.Status, raw, args[1], args[2])
	}
}

// includes reports whether got is want, or has more keys in its objects.
func includes(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for key, v := range want {
			ok = ok && includes(object[key], v)
		}
		return ok
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, includes)
	}
	return got == want
}

// thread FILE sets THREAD to the conversation of the events in FILE, PREFIX to
// so much of it as names no other, and RUN to the run.
func threadCommand(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e core.Event
		ts.Check(json.Unmarshal([]byte(line), &e))
		if e.Run != "" {
			ts.Setenv("THREAD", e.Thread)
			ts.Setenv("PREFIX", e.Thread[:len(e.Thread)-2])
			ts.Setenv("RUN", e.Trace)
			return
		}
	}
	ts.Fatalf("no event of %s has a conversation", args[0])
}

// asked FILE NAME... sets the names to the questions in the lines of FILE that
// answer them, in order, and RUN and THREAD to their run. There must be as many.
// NAME_LINE is what to type, with the answer in $ANSWER.
func askedCommand(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(`(?m)(?:/chain|yaap) (answer (\S+):(\S+)) (?:ANSWER|allow)([^,\n]*)`).FindAllStringSubmatch(ts.ReadFile(args[0]), -1)
	if len(found) != len(args)-1 {
		ts.Fatalf("%s names %d questions, want %d:\n%s", args[0], len(found), len(args)-1, ts.ReadFile(args[0]))
	}
	for i, f := range found {
		ts.Setenv("RUN", f[2])
		ts.Setenv(args[i+1], f[2]+":"+f[3])
		ts.Setenv(args[i+1]+"_LINE", "yaap "+f[1]+` "$ANSWER"`+f[4])
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := store.Open(ctx, ts.MkAbs("state/yaap"))
	ts.Check(err)
	defer db.Close() //nolint:errcheck // it was only read
	run, err := db.FindRun(ctx, ts.Getenv("RUN"))
	ts.Check(err)
	ts.Setenv("THREAD", run.Thread)
}

// place NAME TEXT sets NAME to the place of the entry, #12 say without the #, in
// the first line of what was printed that has the text.
func placeCommand(ts *testscript.TestScript, _ bool, args []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if found := regexp.MustCompile(`#(\d+)`).FindStringSubmatch(line); found != nil && strings.Contains(line, args[1]) {
			ts.Setenv(args[0], found[1])
			return
		}
	}
	ts.Fatalf("no line with a place and %q was printed", args[1])
}

// stored TEXT checks that a message with that text is in the database, and sets
// THREAD to its conversation.
func storedCommand(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := store.Open(ctx, ts.MkAbs("state/yaap"))
	ts.Check(err)
	defer db.Close() //nolint:errcheck // it was only read
	threads, err := db.Threads(ctx, core.ThreadQuery{Limit: 100})
	ts.Check(err)
	for _, thread := range threads {
		messages, err := db.Messages(ctx, thread.ID)
		ts.Check(err)
		for _, m := range messages {
			if m.Role == core.RoleUser && m.Text == args[0] {
				ts.Setenv("THREAD", thread.ID)
				return
			}
		}
	}
	ts.Fatalf("%q is in none of the %d conversations", args[0], len(threads))
}

// ollama FILE [MODEL] starts an Ollama that gives the replies in FILE, or makes
// vectors with MODEL, and sets OLLAMA_HOST.
func startOllama(t *testing.T, ts *testscript.TestScript, args []string) {
	var replies []ollamatest.Reply
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &replies))
	server := ollamatest.New(t, replies...)
	if len(args) > 1 {
		server.SetModels(ollamatest.Model{Name: args[1], Capabilities: []string{"embedding"}})
		server.SetVectors(func(text string) []float32 { return []float32{1, float32(len(text))} })
	}
	ts.Setenv("OLLAMA_HOST", server.URL)
}

// serves openai|anthropic FILE VARIABLE starts a server that speaks as that provider's
// does and gives the replies in FILE to who has the key "sk-hunter2", and sets VARIABLE to
// its address.
func startServer(t *testing.T, ts *testscript.TestScript, args []string) {
	var replies []webtest.Reply
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &replies))
	start := map[string]func(testing.TB, ...webtest.Reply) *webtest.Server{"openai": openaitest.New, "anthropic": anthropictest.New}[args[0]]
	server := start(t, replies...)
	server.SetKey("sk-hunter2")
	ts.Setenv(args[2], server.URL)
}

// pairs FILE TOOLS reads the events of --json: every line is one, numbers
// rise, every start has its end, results come after their calls, and the last
// line is the run's end. The tools, if any, were called in one turn.
func pairsCommand(ts *testscript.TestScript, _ bool, args []string) {
	if err := checkPairs(ts.ReadFile(args[0]), args[1:]); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
}

func checkPairs(text string, together []string) error {
	var open []string
	var last core.Event
	started := map[string]int{} // the turn that a call began in
	turns := map[string]int{}   // the same by tool
	for line := range strings.Lines(text) {
		var e core.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return fmt.Errorf("%w in %q", err, line)
		}
		if e.Seq <= last.Seq {
			return fmt.Errorf("%d comes after %d", e.Seq, last.Seq)
		}
		key := ""
		switch b := e.Body.(type) {
		case core.LLMCallStart:
			key = b.Call
		case core.LLMCallEnd:
			key = b.Call
		case core.ToolCallStart:
			key, started[b.Call], turns[b.Tool] = b.Call, e.Turn, e.Turn
		case core.ToolCallEnd:
			key = b.Call
		case core.ToolResultsToLLM:
			for _, id := range b.Calls {
				if started[id] != e.Turn {
					return fmt.Errorf("the result of %s is put before the model in turn %d and was called in %d", id, e.Turn, started[id])
				}
			}
		default:
		}
		if kind, ok := strings.CutSuffix(e.Type(), "_start"); ok {
			open = append(open, fmt.Sprint(kind, e.Run, key))
		}
		if kind, ok := strings.CutSuffix(e.Type(), "_end"); ok {
			i := slices.Index(open, fmt.Sprint(kind, e.Run, key))
			if i < 0 {
				return fmt.Errorf("%d: an end without a start: %s", e.Seq, line)
			}
			open = slices.Delete(open, i, i+1)
		}
		last = e
	}
	for _, tool := range together {
		if turns[tool] == 0 || turns[tool] != turns[together[0]] {
			return fmt.Errorf("the turns of the calls are %v, want the same for %v", turns, together)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("without an end: %v", open)
	}
	if _, ok := last.Body.(core.RunEnd); !ok {
		return fmt.Errorf("the last event is %T, want run_end", last.Body)
	}
	return nil
}

// cleanCommand checks that none of the words is in a file of the room's: the database, what is beside it, the log.
func cleanCommand(ts *testscript.TestScript, neg bool, words []string) {
	if neg || len(words) == 0 {
		ts.Fatalf("usage: clean WORD...")
	}
	files := 0
	err := filepath.WalkDir(ts.MkAbs("state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				ts.Logf("%s holds %s", path, w)
				err = errors.Join(err, fmt.Errorf("%s is not clean", path))
			}
		}
		return err
	})
	ts.Check(err)
	if files < 2 {
		ts.Fatalf("only %d files were looked at", files)
	}
}
