package main

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/room"
)

// options is what the command line says.
type options struct {
	config.Flags
	thread string
	goOn   bool
	calm   bool
	wire   string // the file that every frame is written to
	record string // the file that a question is recorded in
	output string // the form in which an answer is printed
	quiet  bool   // nothing but the answer is printed
	alone  bool   // nothing is read from standard input

	lines    bool // a chat in lines is open: hints name what is typed there
	attended bool // somebody sits here, and can be asked

	run     string // whose conversation is resumed
	migrate bool   // the run goes on although its chain's file has changed
}

func (o *options) register(flags *pflag.FlagSet) {
	flags.StringVar(&o.Model, "model", "", "the model that answers: offline, or PROVIDER/NAME such as ollama/qwen3.5:4b")
	flags.StringVar(&o.Builtin, "builtin", "", "the built-in experts that come: all, none, or names with commas")
	flags.StringArrayVar(&o.Experts, "expert", nil, "an expert that comes: 'NAME=COMMAND ARGS' (may be repeated)")
	flags.StringArrayVar(&o.Allow, "allow", nil, "what is called without asking, and may join: NAME of an expert, or NAME__TOOL (may be repeated)")
	flags.StringVar(&o.Runner, "runner", "", "who answers: agent/yaap, or chain/NAME")
	flags.StringVar(&o.Dir, "dir", "", "the directory that the room works in (default: this one)")
	flags.StringVar(&o.thread, "thread", "", "go on with the conversation of this id")
}

// registerRoom registers what only makes sense for a room of its own.
func (o *options) registerRoom(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Ephemeral, "ephemeral", false, "keep nothing on disk when the program has ended")
	flags.StringVar(&o.wire, "wire", "", "write every frame between the room and its experts, callers and models to this file: lines of JSON without secrets, for you alone (0600)")
}

// config is what the command line, the environment and the configuration file say.
func (p *program) config() (config.Config, error) {
	cfg, err := config.Load(p.options.Flags, builtinNames(), p.env)
	if err == nil {
		p.masking = room.MaskingOf(cfg.Guard.V)
	}
	return cfg, err
}

// open makes the room.
func (p *program) open(ctx context.Context) (*room.Room, error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	return p.openWith(ctx, cfg)
}

// openWith is open where the configuration was read already.
func (p *program) openWith(ctx context.Context, cfg config.Config) (*room.Room, error) {
	o := p.options
	return room.Open(ctx, room.Options{
		Config: cfg, Getenv: p.env, Version: version(), Builtins: builtinNames(), Attended: o.attended,
		GoesOn: o.goOn || o.thread != "" || o.run != "", Migrate: o.migrate, Wire: o.wire, Record: o.record, Cast: p.cast,
		Guide: p.guide(cfg.Keys.V), //nolint:contextcheck // the help lists the commands of the shell, and runs none
	})
}

// conversation is the one that the user goes on with, or a new one.
func (p *program) conversation(ctx context.Context, r *room.Room) (core.Thread, error) {
	return r.Conversation(ctx, room.Conversation{Run: p.options.run, Thread: p.options.thread, Last: p.options.goOn})
}
