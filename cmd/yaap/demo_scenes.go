package main

import "context"

// scene is one of the demo.
type scene struct {
	name  string
	proof string // a pattern: an event that is stored then, as JSON
	steps []step
}

// step is what is said, what happens then, and what must be on the screen before the next one.
type step struct {
	says  string                                   // at the bottom: what goes on
	yours string                                   // keys that the user may press in the place of what follows
	types string                                   // a line that is typed and sent
	keys  string                                   // keys that are pressed
	does  func(ctx context.Context, d *demo) error // what happens elsewhere
	sees  string                                   // a pattern
}

// scenes are those of the demo, each going on from the one before. A new scene is a row.
func scenes() []scene {
	return []scene{
		{"a question that nobody can answer", `"final_output".*clarification_needed`, []step{
			{says: "This is a room. The experts in it are small programs, a process each.", sees: `calc, data, files, guestbook are in the room`},
			{says: "We ask what none of them knows. Nobody makes something up.", types: "what time is it in Tokyo?", sees: `Nobody here reads`},
		}},
		{"an expert joins", `"tool_call_end".*"clock".*in Tokyo`, []step{
			{says: "In another terminal somebody types: yaap expert clock --join", does: clockJoins, sees: `(?s)Let clock in.*\bs +(until yaap closes|here|w |d )`},
			{says: "It asks to come in. Press s to let it; or wait, and the demo does.", yours: "s", keys: "s", sees: `clock joined`},
			{says: "It is in the room, and nothing was started anew. Now the same question.", types: "what time is it in Tokyo?", sees: `\d\d:\d\d in Tokyo`},
			{says: "Each expert was asked what it reads of it: its bid. clock won with 0.95.", sees: `clock +0\.95`},
		}},
		{"it is killed, and comes back", `"tool_call_end".*"clock".*in Lima`, []step{
			{says: "kill -9: the process of clock is gone, without a goodbye.", does: clockDies, sees: `clock left`},
			{says: "Its terminal starts it again. It was let in before: nobody is asked.", does: clockJoins, sees: `(?s)clock left.*clock joined`},
			{says: "And it answers again. Two experts share this question.", types: "what is 12% of 840 and what time is it in Lima?", sees: `(?s)100\.8.*in Lima`},
		}},
		{"a tool asks before it acts", `"approval_given".*"allow`, []step{
			{says: "guestbook changes something: it writes a file. So you are asked.", types: "@guestbook write Ada", sees: `(?s)guestbook wants to act.*\ba +(allow|s )`},
			{says: "Press a to allow it or d to deny it; or wait, and the demo allows it.", yours: "a d", keys: "a", sees: `Ada is in|denied`},
			{says: "Nothing was called before your answer, and the answer is in the log.", sees: `Ada is in|denied`},
		}},
		{"a chain waits, and the program is restarted", `"chain_resumed"`, []step{
			{says: "A chain is a file of steps. This one reckons: over 50 it asks who pays.", types: "/chain run trip", sees: `1 Ada`},
			{says: "f4 is its picture: what is done, and where it waits.", keys: "f4", sees: `NODE who`},
			{says: "Now the program ends, with its question open. Each step is on the disk.", keys: "esc", does: reopens, sees: `1 Ada`},
			{says: "Open again: it still asks. Press 1 or 2; or wait, and Ada pays.", yours: "1 2", keys: "1", sees: `pays 74`},
			{says: "It went on at that step. What was done before was not done again.", sees: `pays 74`},
		}},
		{"memory", `"tool_call_end".*"recall".*blue pot`, []step{
			{says: "Something is said by the way...", types: "the boat house key is under the blue pot", sees: `Noted`},
			{says: "...and this is another conversation.", types: "/new", sees: `Ask the room`},
			{says: "What was said is remembered for this directory.", types: "what did I say about the boat house key?", sees: `under the blue pot`},
		}},
		{"the wire", `"tool_call_end".*18446744073709551616`, []step{
			{says: "f3 opens the wire: what passes between the room and its experts.", keys: "f3", sees: `Nothing has passed yet`},
			{says: "A question, and its frames: bids are asked for, then one is called.", keys: "tab", types: "what is 2^64?", sees: `tools/call`},
		}},
		{"the audit log", `"run_end"`, []step{
			{says: "f7 is the audit log: each answer is a row that holds the hash before it.", keys: "esc f7", sees: `intact`},
			{says: "That was all. It ends by itself; the terminal then says how to go on.", keys: "esc", sees: `18446744073709551616`},
		}},
	}
}

const demoConfig = `builtin: [calc, data, files]
experts:
  guestbook: {command: [%q, expert, guestbook]}
`

const demoChain = `chain: 1
name: trip
nodes:
  cost: {expert: calc, prompt: "4 * 18.50"}
  till: {function: set, input: {message: "The till pays {{cost.data.result}}."}}
  who: {function: ask, input: {question: "The trip costs {{cost.data.result}}. Who pays?", options: [Ada, Grace]}}
  done: {function: set, input: {message: "{{who.data.answer}} pays {{cost.data.result}}."}}
edges:
  - {from: start, to: cost}
  - {from: cost, to: who, when: response.data.result > 50, label: over 50}
  - {from: cost, to: till, default: true}
  - {from: who, to: done}
  - {from: done, to: end}
  - {from: till, to: end}
`
