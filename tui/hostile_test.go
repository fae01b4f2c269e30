package tui

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"maps"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/safe/safetest"
)

// sink is a place where a text from outside is shown.
type sink struct {
	kind sinkKind
	show func(m *model, text string)
}

type sinkKind int

const (
	asText     sinkKind = iota // as it is
	asMarkdown                 // what it means
	asJSON                     // with escapes for what cannot be seen, its length, or not all of it yet
)

// tell hands events of a run to the chat.
func tell(m *model, s core.Scope, bodies ...core.Body) {
	f := newFake()
	f.emit(s, bodies...)
	m.Update(batch{events: f.events})
}

func at(turn int) core.Scope {
	return core.Scope{Thread: "t1", Run: "r1", Trace: "r1", Agent: "yaap", Turn: turn}
}

func inJSON(text string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"prompt": text})
	return raw
}

// sinks are all places of the terminal where a text from outside is shown.
func sinks() map[string]sink {
	all := inChatSinks()
	maps.Copy(all, inPaneSinks())
	return all
}

func inChatSinks() map[string]sink {
	replied := func(r core.Reply) []core.Body {
		return []core.Body{core.RunStart{Runner: "agent/yaap", Prompt: "q"}, core.FinalOutput{Reply: r}, core.RunEnd{Outcome: "completed", Status: r.Status}}
	}
	called := func(end core.ToolCallEnd, progress string) []core.Body {
		args := json.RawMessage(`{"prompt":"q"}`)
		return append(turnBegins(1), core.AssistantMessage{Calls: 1}, core.ToolRequests{Calls: []core.Call{{ID: "c", Tool: end.Tool, Args: args}}},
			core.ToolCallStart{Call: "c", Tool: end.Tool, Expert: end.Expert, Args: args}, core.ToolCallProgress{Call: "c", Message: progress}, end)
	}
	return map[string]sink{
		"an answer": {asMarkdown, func(m *model, text string) {
			tell(m, at(0), replied(core.Reply{Status: core.StatusSuccess, Message: text})...)
		}},
		"an answer that is being written": {asMarkdown, func(m *model, text string) {
			tell(m, at(0), core.RunStart{Prompt: "q"})
			tell(m, at(1), append(turnBegins(1), pieces("m1", core.FieldMessage, text)...)...)
		}},
		"an answer of before": {asMarkdown, func(m *model, text string) {
			m.opened(opened{thread: "t1", title: "before", page: core.Page{
				Messages: []core.Message{{Run: "r", Role: core.RoleUser, Text: "q"}},
				Events:   reported("r", time.Now(), 1, replied(core.Reply{Status: core.StatusSuccess, Message: text})...),
			}}, nil)
		}},
		"what a command says": {asMarkdown, func(m *model, text string) { m.done("status", core.Say(core.Markdown, text), nil) }},
		"a prompt":            {asText, func(m *model, text string) { m.chat.ask(text, "r1", time.Now()) }},
		"a prompt of before and its title": {asText, func(m *model, text string) {
			m.opened(opened{thread: "t1", title: text, page: core.Page{Messages: []core.Message{{Run: "r", Role: core.RoleUser, Text: text}}}}, nil)
		}},
		"the model's name": {asText, func(m *model, text string) { m.done("model", core.Doc{Model: text}, nil) }},
		"an error":         {asText, func(m *model, text string) { m.chat.fail(&core.Error{Message: text, Hint: text}) }},
		"how a run ended": {asText, func(m *model, text string) {
			tell(m, at(0), core.RunStart{Prompt: "q"}, core.RunEnd{Outcome: "error", Error: text, Hint: text})
		}},
		"a thought that is being written": {asJSON, func(m *model, text string) {
			m.chat.detail = detailTurns
			tell(m, at(0), core.RunStart{Prompt: "q"})
			tell(m, at(1), append(turnBegins(1), pieces("m1", core.FieldThought, text)...)...)
		}},
		"a thought": {asText, func(m *model, text string) {
			m.chat.detail = detailTurns
			tell(m, at(0), replied(core.Reply{Status: core.Status(text), Thought: text, Message: "m"})...)
		}},
		"a tool": {asText, func(m *model, text string) {
			m.chat.detail = detailTurns
			tell(m, at(0), core.RunStart{Prompt: "q"})
			tell(m, at(1), called(core.ToolCallEnd{Call: "c", Tool: text, Expert: text, Status: core.ToolError, Text: text}, text)...)
		}},
		"a tool's progress and arguments": {asJSON, func(m *model, text string) {
			m.chat.detail = detailTurns
			tell(m, at(0), core.RunStart{Prompt: "q"})
			tell(m, at(1), append(turnBegins(1), core.ToolCallStart{Call: "c", Tool: "t", Expert: "e", Args: inJSON(text)}, core.ToolCallProgress{Call: "c", Message: text})...)
		}},
		"who comes and goes": {asText, func(m *model, text string) {
			tell(m, core.Scope{}, core.ExpertJoined{Name: text, Description: text, Tools: []string{text}, Count: 1}, core.ExpertChanged{Name: text, Changed: []string{text}},
				core.ExpertStatus{Name: text, State: core.ExpertQuarantined, Message: text}, core.ExpertLeft{Name: text, Detail: text}, core.ExpertLeft{Name: text, Reason: core.LeaveReason(text)})
		}},
		"notices": {asText, func(m *model, text string) {
			tell(m, core.Scope{}, core.Notice{Level: "error", Text: text, Hint: text, Command: text}, core.Notice{Level: text, Text: text})
		}},
		"what happens in a run": {asText, func(m *model, text string) {
			m.chat.detail = detailTurns
			tell(m, at(0), core.RunStart{Runner: text, Prompt: "q"})
			tell(m, at(1), core.Retry{Operation: text, Reason: text}, core.Fallback{From: text, To: text, Reason: text}, core.Handoff{From: text, To: text, Reason: text},
				core.HandoffDenied{From: text, To: text, Reason: text}, core.GuardrailViolation{Guardrail: text, Stage: core.GuardOutput, Reason: text},
				core.HookRan{Hook: text, Event: core.HookBeforeTool, Tool: text, Call: text, Decision: core.HookDeny, Reason: text},
				core.HookRan{Hook: text, Event: core.HookTurnEnd, Decision: core.HookRemark, Reason: text},
				core.IterationSummary{Text: text}, core.SACPRepaired{Steps: []string{text}}, core.DecodeError{})
		}},
		"a question": {asText, func(m *model, text string) {
			tell(m, at(0), core.RunStart{Prompt: "q"}, core.ClarificationRequested{}, core.FinalOutput{Reply: core.Reply{
				Status: core.StatusClarification, Message: "which?", Data: map[string]any{"options": []any{text}},
			}}, core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification})
		}},
	}
}

// inPaneSinks are the inspectors, the dialogs and the lists.
func inPaneSinks() map[string]sink {
	return map[string]sink{
		"f2": {asText, func(m *model, text string) {
			m.experts.set([]core.Expert{{
				Name: text, Description: text, Message: text, State: core.ExpertState(text), Transport: text,
				Examples: []string{text}, Tools: []core.ToolSpec{{Name: text, Description: text, Schema: core.PromptSchema()}}, Command: []string{text, text}, Stderr: []string{text},
				Changes: []core.ToolChange{{Now: core.ToolSpec{Name: text}}}, Omitted: []string{text}, Bidding: core.BidRecord{Bids: 1, Credit: math.NaN(), Learned: []string{text}},
			}}, time.Now())
			m.openPane(paneNamed("experts"))
		}},
		"f4": {asJSON, func(m *model, text string) {
			s := core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}
			tell(m, s, core.RunStart{Runner: "chain/" + text, Prompt: text}, core.NodeStart{Chain: text, Node: text, Visit: 1, Attempt: 1, Input: []byte(`{"prompt":"q"}`)},
				core.NodeEnd{Chain: text, Node: text, Visit: 1, Attempt: 1, State: core.NodeFailed, Status: core.Status(text), Thought: text, Message: text, Error: text},
				core.EdgeTaken{Chain: text, From: text, To: "end", Taken: true, Condition: text, Problem: text},
				core.ChainPaused{Chain: text, Node: text, Pause: core.Pause{Question: text, Options: []core.Option{{ID: "1", Label: text}}}})
			m.graphed(graphed{text: {Name: text, Nodes: []diagram.Node{{ID: text, Kind: text, Label: text, Note: text}}, Edges: []diagram.Edge{{From: text, To: "end", Label: text}}}}, nil)
			m.openPane(paneNamed("chain"))
		}},
		"a node's data in f4": {asJSON, func(m *model, text string) {
			s := core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}
			tell(m, s, core.RunStart{Runner: "chain/c", Prompt: "q"}, core.NodeStart{Chain: "c", Node: "n", Visit: 1, Attempt: 1, Input: inJSON(text)},
				core.NodeEnd{Chain: "c", Node: "n", Visit: 1, Attempt: 1, State: core.NodeCompleted, Data: inJSON(text)},
				core.EdgeTaken{Chain: "c", From: "n", To: "end", Taken: true, Values: map[string]any{text: text}})
			m.openPane(paneNamed("chain"))
		}},
		"f5": {asText, func(m *model, text string) {
			v := core.MemoryView{
				Vaults: []core.Vault{{ID: "v", Title: text}}, Memories: []core.Memory{{ID: "m", Vault: "v", Title: text}}, Failure: text, Mode: text,
				Entries: []core.Entry{{Seq: 1, ID: "e", Role: core.Role(text), Raw: text, Summary: text, Tags: map[string]string{text: text}, Reason: text, Thread: text}},
			}
			v.Chosen = v.Memories[0]
			m.openPane(paneNamed("memory"))
			of[*memoryPane](m).set(core.MemoryQuery{}, "", v, nil)
		}},
		"the context in f5": {asJSON, func(m *model, text string) {
			m.openPane(paneNamed("memory"))
			of[*memoryPane](m).tab = partContext
			of[*memoryPane](m).set(core.MemoryQuery{}, "", core.MemoryView{
				Memories: []core.Memory{{ID: "m", Title: "t"}}, Chosen: core.Memory{ID: "m", Title: "t"},
				Contexts: []core.ContextDoc{{ID: "c", Seq: 1, Content: "# What this is about\n" + text}, {ID: "d", Seq: 2, Content: "# What this is about\nmore " + text}},
			}, nil)
		}},
		"f6": {asJSON, func(m *model, text string) {
			of[*eventsPane](m).unfolded = true
			tell(m, core.Scope{Thread: "t1", Run: text, Trace: "r", Agent: text}, core.Notice{Level: "info", Text: text, Hint: text})
			m.openPane(paneNamed("events"))
		}},
		"a request to a model in f6": {asText, func(m *model, text string) {
			l := of[*eventsPane](m)
			l.unfolded, l.asked = true, exchange{run: "r1", call: "m1", read: true, got: core.Exchange{
				Model: text, System: text, Now: text, Messages: []core.Message{{Role: core.Role(text), Text: text}, {Role: core.RoleTool, Name: text, Text: text}},
				Tools: []core.ToolSpec{{Name: text, Description: text}}, Answer: &core.Message{Text: text, Thinking: text, Calls: []core.Call{{Tool: text}}}, Error: text,
			}}
			tell(m, core.Scope{Thread: "t1", Run: "r1"}, core.LLMCallStart{Call: "m1"})
			m.openPane(paneNamed("events"))
		}},
		"f7": {asText, func(m *model, text string) {
			of[*auditPane](m).set(audited{report: &core.AuditReport{Rows: 1, Faults: []core.AuditFault{{Row: 1, Why: text}}}, rows: []core.AuditEntry{{
				Seq: 1, Hash: text, PrevHash: text, Row: core.AuditRow{Actor: text, Node: text, Model: text, Run: text, AuditReply: core.AuditReply{
					Said: core.Status(text), Status: core.StatusSuccess, Thought: text, Data: `{}`, Message: text, Outcome: text, RawHash: text,
				}},
			}}}, nil)
			m.openPane(paneNamed("audit"))
		}},
		"an entry's data in f7": {asJSON, func(m *model, text string) {
			of[*auditPane](m).set(audited{report: &core.AuditReport{Rows: 1}, rows: []core.AuditEntry{{Seq: 1, Row: core.AuditRow{Actor: "a", AuditReply: core.AuditReply{Data: string(inJSON(text))}}}}}, nil)
			m.openPane(paneNamed("audit"))
		}},
		"why f7 cannot be read": {asText, func(m *model, text string) {
			of[*auditPane](m).set(audited{}, &core.Error{Message: text, Hint: text})
			m.openPane(paneNamed("audit"))
		}},
		"what has to be allowed": {asJSON, func(m *model, text string) {
			tell(m, at(1), core.ApprovalRequested{Pause: "p", Tool: text, Expert: text, Args: inJSON(text), Reason: text})
		}},
		"sessions": {asText, func(m *model, text string) {
			m.act(actSessions)
			m.foundSessions(m.panes.over.n, "", []core.Thread{{ID: "t2", Title: text, Count: 2, Match: text, Dir: text}}, nil)
		}},
		"why sessions cannot be read": {asText, func(m *model, text string) {
			m.act(actSessions)
			m.foundSessions(m.panes.over.n, "", nil, errors.New(text))
		}},
		"why there are no more events": {asText, func(m *model, text string) { m.Update(lost{errors.New(text)}) }},
	}
}

// frameOf is what the terminal shows when a text is in a sink.
func frameOf(t testing.TB, s sink, text string) (frame, title string) {
	t.Helper()
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
	m := newModel(t.Context(), Options{Thread: "t1", Model: "offline", Env: func(name string) string { return env[name] }}, newFake(), &jobs{})
	m.Update(tea.BackgroundColorMsg{})
	m.Update(tea.WindowSizeMsg{Width: 130, Height: 60})
	s.show(m, text)
	m.fit()
	return strings.Join(m.compose(), "\n"), m.View().WindowTitle
}

// look is what is in the cells.
func look(t testing.TB, name, frame string) []string {
	t.Helper()
	emu := safetest.Show(t, 130, 60, frame)
	safetest.Check(t, name, emu)
	return safetest.Rows(emu)
}

func TestHostileTextShowsWhatIsThereInEverySink(t *testing.T) {
	for name, s := range sinks() {
		t.Run(name, func(t *testing.T) {
			for _, text := range safetest.Texts() {
				text.Raw = strings.ReplaceAll(text.Raw, "\t", "    ") // how wide a tab is depends on the place
				synctest.Test(t, func(t *testing.T) {                 // the time stands still
					marked, shown := "mark "+text.Raw, "mark "+text.Safe
					if s.kind == asMarkdown {
						marked, shown = text.Raw+"\n\nmark", text.Shown()+"\n\nmark"
					}
					frame, title := frameOf(t, s, marked)
					if found := safetest.Sequences(frame); len(found) > 0 || title != safe.Line(title) {
						t.Errorf("%s: %q is sent to the terminal, with the title %q", text.Name, found, title)
					}
					if !strings.Contains(ansi.Strip(frame), "mark") {
						t.Fatalf("%s: the text is not shown:\n%s", text.Name, ansi.Strip(frame))
					}
					want, _ := frameOf(t, s, shown)
					if want == frame { // nothing of it is in the cells
						return
					}
					rows := look(t, text.Name, frame)
					if s.kind == asJSON {
						return
					}
					if diff := cmp.Diff(look(t, text.Name, want), rows); diff != "" {
						t.Errorf("%s (-what is there +what is shown)\n%s", text.Name, diff)
					}
				})
			}
		})
	}
}

// reference matches what a reference may be in markdown.
var reference = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// disarmed is a text in which every reference to what is not safe is one to a
// snowman.
func disarmed(text string) string {
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		if s := html.UnescapeString(ref); safe.Text(s) != s || s == "\n" {
			return "&#9731;"
		}
		return ref
	})
}

// inked is what is seen in the cells, with its style, but for snowmen and what
// stands for something that reorders text.
func inked(emu *vt.Emulator) []string {
	var all []string
	for y := range emu.Height() {
		for x := range emu.Width() {
			if c := emu.CellAt(x, y); c != nil && strings.Trim(c.Content, " ☃\ufffd") != "" {
				all = append(all, c.Content+c.Style.String())
			}
		}
	}
	return all
}

// What an expert says goes as a message through markdown to the frame and into
// the cells. There it is what is there when it is made safe beforehand, and when
// its references stand for harmless characters.
func FuzzWhatAnExpertSays(f *testing.F) {
	for _, text := range safetest.Texts() {
		f.Add(text.Raw)
	}
	f.Add("\x01\u200b")
	f.Add("[a]: https://example.org &#27;")
	f.Add("# Title\n\nSome *emph*, **strong**, `code`, [link](https://example.org) <https://example.org>\n\n- one\n  1. two\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n")
	f.Add("<details><summary>&#27;[8m</summary>\n\n![alt &#x202e;](https://example.org \"title\")\n\n[^1]: note\n\n~~~go\n\x1b[8mx\n~~~\n")
	s := sinks()["an answer"]
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1_000 {
			return
		}
		text = strings.ReplaceAll(text, "\t", "    ")
		frame, _ := frameOf(t, s, text)
		rows := look(t, text, frame)
		if found := safetest.Sequences(frame); len(found) > 0 {
			t.Errorf("%q sends %q", text, found)
		}
		want, _ := frameOf(t, s, safe.Text(text))
		if diff := cmp.Diff(look(t, text, want), rows); diff != "" {
			t.Errorf("%q (-what is there +what is shown)\n%s", text, diff)
		}
		code := strings.ContainsAny(text, "`~<") || strings.Contains(text, "    ")
		if link := strings.ContainsAny(text, "(:@[") || strings.Contains(text, "www"); code || link {
			return // there references stay as they are, or are targets
		}
		harmless, _ := frameOf(t, s, disarmed(text))
		if diff := cmp.Diff(inked(safetest.Show(t, 130, 60, harmless)), inked(safetest.Show(t, 130, 60, frame))); diff != "" {
			t.Errorf("%q (-with snowmen +as it is)\n%s", text, diff)
		}
	})
}

func TestTheProgramDoesNothingThatATextAsksFor(t *testing.T) {
	f := settled()
	var all []string
	for _, text := range safetest.Texts() {
		all = append(all, text.Raw)
	}
	evil := strings.Join(all, " \n\n")
	f.prompt = func(_ context.Context, f *fake, s core.Scope, _ string) (core.Result, error) {
		reply := core.Reply{Status: core.StatusSuccess, Thought: evil, Message: evil + "\n\nthe end"}
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: evil}, core.Notice{Level: "warn", Text: evil})
		s.Turn = 1
		f.emit(s, turnBegins(1)...)
		f.emit(s, pieces("m1", core.FieldMessage, reply.Message)...)
		f.emit(s, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status})
		return core.Result{Reply: reply}, nil
	}
	x := start(t, setup{w: 130, h: 300, o: Options{Title: evil}}, f)
	var asked []string
	x.mu.Lock()
	for _, osc := range []int{7, 9, 52, 777} {
		x.emu.RegisterOscHandler(osc, func(data []byte) bool {
			asked = append(asked, string(data))
			return true
		})
	}
	x.emu.SetCallbacks(vt.Callbacks{
		Bell: func() { asked = append(asked, "bell") },
		Title: func(title string) {
			if title != safe.Line(title) {
				asked = append(asked, title)
			}
		},
	})
	x.mu.Unlock()
	x.see("ask the room")
	x.press("what is evil?", "enter")
	x.see("the end")
	x.mu.Lock()
	defer x.mu.Unlock()
	safetest.Check(t, "the screen", x.emu)
	if len(asked) > 0 {
		t.Errorf("the terminal was asked for %q", asked)
	}
}

func TestWhatIsCopiedMayBePastedIntoATerminal(t *testing.T) {
	for _, text := range safetest.Texts() {
		if got := safe.Tabbed(text.Raw); len(safetest.Sequences(strings.ReplaceAll(got, "\t", ""))) > 0 || safe.Text(got) != safe.Text(text.Raw) {
			t.Errorf("%s: %q is copied", text.Name, got)
		}
	}
	if got := safe.Tabbed("all:\n\tgo build\n"); got != "all:\n\tgo build\n" {
		t.Errorf("got %q", got)
	}
}
