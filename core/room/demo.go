package room

import "github.com/yaap-chat/yaap/core"

// demoCommand is shown by the program: it needs a terminal.
func demoCommand() Command {
	return Command{
		Command: core.Command{Name: "demo", Does: "see in three minutes what a room is: experts come, bid, are killed, and ask before they act", Flags: []core.Flag{
			{Name: "list", Default: false, Does: "name the scenes"},
			{Name: "scene", Default: 1, Does: "begin with the scene of this number; those before it pass at once"},
			{Name: "speed", Default: "1", Does: "how much faster: 1/2, 2, 4, max"},
			{Name: "record", Default: "", Does: "record what is shown in this file, as an asciicast"},
			{Name: "steps", Default: false, Does: "wait for a key after each step"},
		}},
		Long: "See in three minutes what a room is. The terminal, the room, its experts and what happens\n" +
			"to them are real; no model, no key and no network are needed, and nothing of it stays.\n" +
			"It plays by itself: space pauses, n is the next step, + and - the speed, q leaves.",
		Where: atShell,
	}
}

// DemoShow is how the demo is shown.
type DemoShow struct {
	Scene int // the first, from 1
	Speed float64
	Steps bool // each waits for a key

	Record string // the file that it is kept in
}

// Demo reads how a call of the command demo wants it shown.
func (c *Call) Demo(scenes int) (d DemoShow, err error) {
	d.Scene, d.Steps, d.Record = c.number("scene"), c.is("steps"), c.text("record")
	if d.Scene < 1 || d.Scene > scenes {
		return d, core.Fail(core.CodeInvalid, "there is no such scene", "type yaap demo --list")
	}
	d.Speed, err = c.speed("demo")
	return d, err
}
