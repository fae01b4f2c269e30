// Package config puts together what the user wants: defaults, then the
// configuration file, then the environment, then flags. Every value remembers
// where it comes from. Nothing is ever written.
package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/schema"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	maxFile     = 1 << 20
	agentRunner = "agent/yaap"
)

// Value is a setting and where it comes from.
type Value[T any] struct {
	V    T
	From string // [FromDefault], the file's path, the variable's name, or the flag
}

// FromDefault is where a setting comes from that nobody has set.
const FromDefault = "default"

func (v *Value[T]) set(value T, from string) { v.V, v.From = value, from }

// NoEmbeddings is the name of no model.
const NoEmbeddings = "none"

// Config is what the user wants.
type Config struct {
	Model      Value[string] // offline, or PROVIDER/NAME
	Providers  Value[map[string]Provider]
	Models     Value[map[string]Model] // by their names, PROVIDER/NAME
	Builtin    Value[[]string]         // the built-in experts that shall come
	MaxTurns   Value[int]
	MaxExperts Value[int]
	BidMS      Value[int]      // how long experts have to say what they read
	Runner     Value[string]   // who answers what is for nobody else: agent/yaap, or chain/NAME
	Chains     Value[[]string] // chains that the agent may call as tools
	Memory     Value[bool]     // conversations are remembered
	Every      Value[int]      // messages until the context of the memory is written anew
	Todo       Value[bool]     // a model may keep a list of what it has to do
	Judge      Value[Judge]    // without a model nobody looks at answers
	Cites      Value[bool]     // an answer has to cite its sources
	ReAsks     Value[int]      // how often an unreadable answer is asked for again
	Fallback   Value[[]string] // models that answer, in order, when Model fails
	Guard      Value[Guards]   // what is looked for in what passes
	Hooks      Value[Hooks]    // commands that are run before and after calls and at the end of turns
	Approve    Value[[]string] // tools and experts that may only be called when the user allows it, or all
	Allow      []string        // tools and experts that are not asked about in this room, from flags
	Experts    []Expert        // from the file, by name; then those of flags, in order
	Faults     []servers.Fault // entries of the file that cannot be experts
	// Embeddings names the model of Ollama that makes vectors of what is
	// remembered: empty for any, or NoEmbeddings.
	Embeddings Value[string]
	// Project says that the model is told what the project has written for agents.
	Project Value[bool]
	// Keys are keys of the chat that the user wants elsewhere: the key that does it by
	// itself, and the one that does it in its place. The terminal checks them.
	Keys  Value[map[string]string]
	Theme Value[string] // of the chat: auto, light or dark
	// Colors are the user's own of the themes light and dark, by what they colour. The
	// terminal checks them.
	Colors Value[map[string]map[string]string]
	// Detail is how much of an answer the chat shows: calm, thoughts or everything.
	Detail Value[string]
	Mouse  Value[bool] // the chat takes the mouse
	Vi     Value[bool] // the input has the keys of vi
	Inline Value[bool] // the chat leaves what was said in the terminal's scrollback
	// Pictures are how the chat shows pictures: auto, off, or a way.
	Pictures Value[string]
	// Ephemeral says that nothing of a room is kept when it ends.
	Ephemeral Value[bool]
	Places

	text []byte // of the configuration file
}

// Places are the files and directories of a room.
type Places struct {
	Dir      string // where the room works: its real path, whatever links lead there
	File     string // the configuration file, there or not
	StateDir string
	RunDirs  []string // where the room is announced; the first is the system's own for such files
	TempDir  string   // for what is not kept: in memory, where the system has such a directory
}

// Expert is an expert that the user listed.
type Expert struct {
	servers.Server
	Pass  []string // names of variables that are handed on to it
	Roots []string // directories that it is told it may look into
	Log   string   // the level from which on what it logs is reported; empty: warning
	// Sampling is how many tokens of the room's model it may use until yaap closes.
	Sampling int
	Trust    bool // it is called without asking, and may change what it says of itself
	From     string
}

// Flags is what the command line said; empty values say nothing.
type Flags struct {
	Model   string
	Builtin string   // names with commas, or none
	Experts []string // NAME=COMMAND ARGS
	Allow   []string // tools and experts that are not asked about
	Dir     string
	Runner  string // agent/yaap, or chain/NAME
	Theme   string // of the chat
	// Ephemeral keeps nothing.
	Ephemeral bool
	Inline    bool // see [Config]
}

// file is the configuration file.
type file struct {
	Model      *string               `yaml:"model"`
	Providers  *map[string]Provider  `yaml:"providers"`
	Models     *map[string]Model     `yaml:"models"`
	Builtin    *names                `yaml:"builtin"`
	MaxTurns   *int                  `yaml:"max_turns"`
	MaxExperts *int                  `yaml:"max_experts"`
	BidMS      *int                  `yaml:"bid_ms"`
	ReAsks     *int                  `yaml:"re_asks"`
	Judge      *Judge                `yaml:"judge"`
	Cites      *bool                 `yaml:"require_citations"`
	Todo       *bool                 `yaml:"todo"`
	Runner     *string               `yaml:"runner"`
	Chains     *[]string             `yaml:"chains"`
	Memory     *bool                 `yaml:"memory"`
	Embeddings *string               `yaml:"memory_embeddings"`
	Every      *int                  `yaml:"memory_every"`
	Fallback   *[]string             `yaml:"fallback"`
	Approve    *[]string             `yaml:"approve"`
	Guard      map[string]any        `yaml:"guard"`
	Hooks      *Hooks                `yaml:"hooks"`
	Experts    map[string]fileExpert `yaml:"experts"`
	MCPServers map[string]any        `yaml:"mcpServers"`
	Servers    map[string]any        `yaml:"servers"`
	MCP        map[string]any        `yaml:"mcp"`

	Keys      *map[string]string            `yaml:"keys"`
	Theme     *string                       `yaml:"theme"`
	Colors    *map[string]map[string]string `yaml:"colors"`
	Detail    *string                       `yaml:"detail"`
	Mouse     *bool                         `yaml:"mouse"`
	Vi        *bool                         `yaml:"vi"`
	Inline    *bool                         `yaml:"inline"`
	Pictures  *string                       `yaml:"pictures"`
	Project   *bool                         `yaml:"agents_md"`
	Ephemeral *bool                         `yaml:"ephemeral"`
}

// Load reads everything. builtin are the names of the built-in experts that
// there are; env looks a variable up.
func Load(flags Flags, builtin []string, env func(string) string) (Config, error) {
	c := defaults()
	c.Builtin.V = builtin
	if err := c.places(flags, env); err != nil {
		return Config{}, err
	}
	for _, step := range []func() error{
		func() error { return c.readFile(env, builtin) },
		func() error { return c.readEnv(env, builtin) },
		func() error { return c.readFlags(flags, builtin) },
	} {
		if err := step(); err != nil {
			return Config{}, err
		}
	}
	return c, cmp.Or(c.check(builtin), c.checkForm(c.text))
}

// places finds the directories, as the XDG base directory specification has it.
func (c *Config) places(flags Flags, env func(string) string) error {
	home := env("HOME")
	if !filepath.IsAbs(home) && !filepath.IsAbs(env("XDG_STATE_HOME")) {
		return invalid("there is no home directory to keep conversations in", "set HOME, or XDG_STATE_HOME", nil)
	}
	under := func(variable, fallback string) string {
		if dir := env(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "yaap")
		}
		return filepath.Join(home, fallback, "yaap")
	}
	if filepath.IsAbs(home) || filepath.IsAbs(env("XDG_CONFIG_HOME")) { // never one of the working directory
		c.File = filepath.Join(under("XDG_CONFIG_HOME", ".config"), "config.yaml")
	}
	c.StateDir = under("XDG_STATE_HOME", filepath.Join(".local", "state"))
	runDir := filepath.Join(c.StateDir, "run")
	if c.TempDir = env("TMPDIR"); !filepath.IsAbs(c.TempDir) {
		c.TempDir = "/tmp"
	}
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		runDir = filepath.Join(dir, "yaap")
		c.TempDir = runDir
	}
	c.RunDirs = []string{runDir}
	if filepath.IsAbs(home) { // programs that are given nothing but HOME look here
		if dir := filepath.Join(home, ".local", "state", "yaap", "run"); dir != runDir {
			c.RunDirs = append(c.RunDirs, dir)
		}
	}
	dir, err := filepath.Abs(flags.Dir)
	if err != nil {
		return invalid("the directory that yaap was started in is gone", "cd to one that is there", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return invalid(fmt.Sprintf("%s is not a directory", dir), "give --dir a directory that is there", err)
	}
	if c.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return invalid(fmt.Sprintf("%s cannot be reached", dir), "check the links that lead there", err)
	}
	return nil
}

// parse reads the configuration file, which need not be there.
func (c *Config) parse() (said *file, raw []byte, err error) {
	said = new(file)
	raw, err = userfile.Read(c.File, maxFile)
	if c.File == "" || errors.Is(err, fs.ErrNotExist) {
		return said, raw, nil
	}
	if err != nil {
		return nil, nil, invalid("cannot read "+c.File, "check the file and its permissions", err)
	}
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF")) // some editors put it there
	decoder := yaml.NewDecoder(bytes.NewReader(raw), yaml.Strict())
	err = decoder.Decode(said)
	if err == nil && !errors.Is(decoder.Decode(new(any)), io.EOF) {
		return nil, nil, invalid(c.File+" goes on behind a line of ---, and only what is before it would be read", "put all settings into one document", nil)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, invalid(c.File+" cannot be understood", "fix the line that is shown:\n"+kindsInWords(yaml.FormatError(err, false, true)), nil)
	}
	return said, raw, nil
}

// ofAKind is how the parser tells of a value of another kind than its key takes.
var ofAKind = regexp.MustCompile(`cannot unmarshal .+? into Go (?:struct field \S+|value) of type (\S+)`)

// unknown is how the parser tells of a key that nothing takes.
var unknown = regexp.MustCompile(`unknown field ("[^"]*")`)

// kindsInWords says what a key takes in place of the name of a type.
func kindsInWords(text string) string {
	text = strings.NewReplacer("string was used where mapping is expected", "this takes keys of its own, on the lines below it",
		"string was used where sequence is expected", "write a list: [one, another]").Replace(text)
	text = unknown.ReplaceAllString(text, "there is no key $1 here; yaap help configuration lists them")
	return ofAKind.ReplaceAllStringFunc(text, func(said string) string {
		switch kind := ofAKind.FindStringSubmatch(said)[1]; {
		case kind == "bool":
			return "write true or false"
		case kind == "time.Duration":
			return "write a time, such as 5s or 2m"
		case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
			return "write a whole number, without quotes or a unit"
		case strings.HasPrefix(kind, "float"):
			return "write a number"
		case kind == "string":
			return "write a text"
		case strings.HasPrefix(kind, "[]"):
			return "write a list: [one, another]"
		}
		return "this takes keys of its own, on the lines below it"
	})
}

func (c *Config) readFile(env func(string) string, builtin []string) error {
	said, text, err := c.parse()
	if err != nil {
		return err
	}
	c.text = text
	for _, s := range Settings() {
		s.take(c, said)
	}
	c.Builtin.V = namesOf(strings.Join(c.Builtin.V, ","), builtin)
	if said.Guard != nil {
		guards, err := readGuards(said.Guard)
		if err != nil {
			return invalid("guard in "+c.File+": "+err.Error(), "write it as secrets: redact, or as secrets: {input: allow, output: block}", nil)
		}
		c.Guard.set(guards, c.File)
	}
	return c.readExperts(said, env)
}

func (c *Config) readEnv(env func(string) string, builtin []string) error {
	if model := env("YAAP_MODEL"); model != "" {
		c.Model.set(model, "YAAP_MODEL")
	}
	if said := env("YAAP_BID_MS"); said != "" {
		ms, err := strconv.Atoi(said)
		if err != nil {
			return invalid(fmt.Sprintf("YAAP_BID_MS is %q, and not a number", said), "give it milliseconds, such as YAAP_BID_MS=200", nil)
		}
		c.BidMS.set(ms, "YAAP_BID_MS")
	}
	if names := env("YAAP_BUILTIN"); names != "" {
		c.Builtin.set(namesOf(names, builtin), "YAAP_BUILTIN")
	}
	return nil
}

func (c *Config) readFlags(flags Flags, builtin []string) error {
	if flags.Model != "" {
		c.Model.set(flags.Model, "--model")
	}
	if flags.Builtin != "" {
		c.Builtin.set(namesOf(flags.Builtin, builtin), "--builtin")
	}
	if flags.Ephemeral {
		c.Ephemeral.set(true, "--ephemeral")
	}
	if flags.Inline {
		c.Inline.set(true, "--inline")
	}
	if flags.Runner != "" {
		c.Runner.set(flags.Runner, "--runner")
	}
	if flags.Theme != "" {
		c.Theme.set(flags.Theme, "--theme")
	}
	c.Allow = flags.Allow
	for _, spec := range flags.Experts {
		name, command, ok := strings.Cut(spec, "=")
		words, err := core.SplitCommandLine(command)
		if !ok || err != nil || len(words) == 0 {
			return invalid(fmt.Sprintf("--expert %q is not NAME=COMMAND ARGS", spec), `write it as --expert 'heron=python3 heron.py'`, err)
		}
		server := servers.Server{Name: strings.TrimSpace(name), Command: words}
		if servers.IsAddress(words[0]) {
			server.Command, server.URL = nil, words[0]
		}
		c.Experts = append(c.Experts, Expert{Server: server, From: "--expert"})
	}
	return nil
}

func namesOf(names string, all []string) []string {
	switch names {
	case "none":
		return nil
	case "all":
		return all
	}
	var list []string
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func (c *Config) check(builtin []string) error {
	for _, name := range c.Builtin.V {
		if !slices.Contains(builtin, name) {
			return invalid(fmt.Sprintf("there is no built-in expert %q (%s)", name, c.Builtin.From), "there are "+strings.Join(builtin, ", "), nil)
		}
	}
	if err := cmp.Or(c.checkExperts(), c.checkProviders(), c.checkHooks()); err != nil {
		return err
	}
	if runner := c.Runner.V; runner != agentRunner && (!strings.HasPrefix(runner, "chain/") || runner == "chain/") {
		return invalid(fmt.Sprintf("nobody called %q can answer (%s)", runner, c.Runner.From), "use agent/yaap, or chain/NAME", nil)
	}
	if m := c.Model; m.V != "offline" && !strings.Contains(m.V, "/") {
		return invalid(fmt.Sprintf("there is no model %q (%s)", m.V, m.From), "use offline, or PROVIDER/NAME such as ollama/qwen3.5:4b; yaap help configuration lists the providers", nil)
	}
	if p := c.Pictures; !slices.Contains(pictures(), p.V) {
		return invalid(fmt.Sprintf("pictures cannot be shown as %q (%s)", p.V, p.From), "use one of "+strings.Join(pictures(), ", "), nil)
	}
	if theme := c.Theme.V; !slices.Contains(themes(), theme) {
		return invalid(fmt.Sprintf("there is no theme %q (%s)", theme, c.Theme.From), "use auto, light or dark", nil)
	}
	if d := c.Detail; !slices.Contains(details(), d.V) {
		return invalid(fmt.Sprintf("the chat cannot show %q of an answer (%s)", d.V, d.From), "use calm, thoughts or everything", nil)
	}
	for _, s := range Settings() {
		value, from := s.value(*c)
		if n, ok := value.(int); ok && (n < s.min || n > s.max) {
			return invalid(fmt.Sprintf("%s is %d (%s)", s.Name, n, from), fmt.Sprintf("use %d to %d", s.min, s.max), nil)
		}
	}
	return nil
}

// checkForm refuses what the JSON Schema refuses and nothing before it did. What the
// file lists as experts is left: an entry that cannot be one keeps no other out.
func (c *Config) checkForm(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var written map[string]any
	if err := yaml.Unmarshal(text, &written); err != nil {
		return err
	}
	for _, key := range append(servers.Keys(), "experts") {
		delete(written, key)
	}
	value, err := json.Marshal(written)
	if err != nil {
		return err
	}
	form, err := schema.Compile(Schema())
	if err != nil {
		return err
	}
	if wrong := form.Check(value); len(wrong) > 0 {
		return invalid(c.File+": "+strings.Join(wrong, "; "), "yaap help configuration has what each key takes", nil)
	}
	return nil
}

func invalid(message, hint string, err error) error {
	return core.Fail(core.CodeInvalid, message, hint).Because(err)
}
