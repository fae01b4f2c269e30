package room

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	resourceTimeout = 10 * time.Second // for an expert to list or to read
	maxAttached     = 4                // resources of one prompt
)

func resourceCommands() []Command {
	return []Command{
		{
			Command: core.Command{Name: "resources", Args: "[EXPERT]", Does: "what experts let you read; @EXPERT:URI in a prompt attaches it"},
			Most:    1, Where: inChat, Run: listResources,
		},
		{
			Command: core.Command{Name: "resources read", Args: "EXPERT URI", Does: "read a resource of an expert"},
			Least:   2, Most: 2, Where: inChat, Run: readResource,
		},
		{
			Command: core.Command{Name: "prompts", Args: "[EXPERT]", Does: "the prompts that experts have ready; /EXPERT:NAME takes one"},
			Most:    1, Where: inChat, Run: listPrompts,
		},
		{
			Command: core.Command{Name: "prompt", Args: "EXPERT NAME [ARGUMENT=VALUE...]", Does: "put a prompt of an expert into the input, to be sent or changed"},
			Least:   2, Most: anyNumber, Where: inChat, Run: takePrompt,
		},
	}
}

// resourceProviders are the expert of a name, or all experts with resources or prompts.
func (r *Room) resourceProviders(names []string) (map[string]hub.ResourceProvider, error) {
	if len(names) == 1 {
		name := strings.TrimPrefix(names[0], "@")
		l, err := r.hub.ResourceProvider(name)
		return map[string]hub.ResourceProvider{name: l}, err
	}
	found := map[string]hub.ResourceProvider{}
	for _, e := range r.hub.Experts() {
		if l, err := r.hub.ResourceProvider(e.Name); err == nil {
			found[e.Name] = l
		}
	}
	return found, nil
}

// each collects what all of the experts list, each within its time; those that fail are
// named.
func each[T any](ctx context.Context, r *Room, names []string, list func(context.Context, hub.ResourceProvider) ([]T, error), row func(expert string, one T) []string) ([][]string, []string, error) {
	found, err := r.resourceProviders(names)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, resourceTimeout)
	defer cancel()
	var rows [][]string
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all, err := list(ctx, found[name])
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s did not list: %s", name, safe.Line(err.Error())))
		}
		for _, one := range all {
			rows = append(rows, row(name, one))
		}
	}
	return rows, wrong, nil
}

// tableOr is a table, or a text if it is empty.
func tableOr(head []string, rows [][]string, wrong []string, none, hint string) core.Doc {
	var doc core.Doc
	if len(rows) > 0 {
		doc.Parts = append(doc.Parts, core.Part{Kind: core.Table, Head: head, Rows: rows}, core.Part{Kind: core.Remark, Text: hint})
	} else {
		doc.Parts = append(doc.Parts, core.Part{Text: none})
	}
	for _, text := range wrong {
		doc.Remark(text)
	}
	return doc
}

func listResources(ctx context.Context, c *Call) (core.Doc, error) {
	rows, wrong, err := each(ctx, c.Room, c.Args, func(ctx context.Context, l hub.ResourceProvider) ([]core.Resource, error) { return l.Resources(ctx) },
		func(expert string, one core.Resource) []string {
			return []string{"@" + expert + ":" + safe.Cut(safe.Line(one.URI), 200), safe.Cut(safe.Line(one.Name), 60)}
		})
	return tableOr([]string{"resource", "what it is"}, rows, wrong, "No expert here lets anything be read.", "written so in a prompt, it is attached; /resources read EXPERT URI shows it"), err
}

func listPrompts(ctx context.Context, c *Call) (core.Doc, error) {
	rows, wrong, err := each(ctx, c.Room, c.Args, func(ctx context.Context, l hub.ResourceProvider) ([]core.PromptSpec, error) { return l.Prompts(ctx) },
		func(expert string, one core.PromptSpec) []string {
			return []string{safe.Cut(safe.Line(one.Usage(expert)), 120), safe.Cut(safe.Line(one.Description), 160)}
		})
	return tableOr([]string{"prompt", "what it is"}, rows, wrong, "No expert here has a prompt ready.", "typed so, it is put into the input, to be sent or changed"), err
}

func readResource(ctx context.Context, c *Call) (core.Doc, error) {
	text, err := c.Room.readOf(ctx, c.Args[0], c.Args[1])
	if err != nil {
		return core.Doc{}, err
	}
	kind := core.Block
	if ext := strings.ToLower(filepath.Ext(c.Args[1])); ext == ".md" || ext == ".markdown" {
		kind = core.Markdown
	}
	return core.Say(kind, safe.Text(text)), nil
}

// readOf reads a resource of an expert.
func (r *Room) readOf(ctx context.Context, expert, uri string) (string, error) {
	expert = strings.TrimPrefix(expert, "@")
	l, err := r.hub.ResourceProvider(expert)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, resourceTimeout)
	defer cancel()
	text, err := l.Read(ctx, uri)
	if err != nil {
		return "", core.Fail(core.CodeNotFound, safe.Line(fmt.Sprintf("%s does not let %s be read: %v", expert, uri, err)), "/resources "+expert+" lists what it has")
	}
	return text, nil
}

// takePrompt puts a prompt of an expert into the input: nothing is sent unasked.
func takePrompt(ctx context.Context, c *Call) (core.Doc, error) {
	expert, name := strings.TrimPrefix(c.Args[0], "@"), c.Args[1]
	l, err := c.Room.hub.ResourceProvider(expert)
	if err != nil {
		return core.Doc{}, err
	}
	args := map[string]string{}
	last := ""
	for _, word := range c.Args[2:] {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case ok && key != "":
			args[key], last = value, key
		case last != "": // a value of several words
			args[last] += " " + word
		default:
			return core.Doc{}, core.Fail(core.CodeInvalid, safe.Line(word)+" is no ARGUMENT=VALUE", "/prompts "+expert+" lists what each takes")
		}
	}
	ctx, cancel := context.WithTimeout(ctx, resourceTimeout)
	defer cancel()
	known, _ := l.Prompts(ctx) // without them the expert says what it lacks
	for _, one := range known {
		for _, a := range one.Args {
			if one.Name == name && a.Required && args[a.Name] == "" {
				return core.Doc{}, core.Fail(core.CodeInvalid, "the prompt "+safe.Line(name)+" needs "+safe.Line(a.Name), "type "+safe.Line(one.Usage(expert)))
			}
		}
	}
	text, err := l.Prompt(ctx, name, args)
	if err != nil {
		return core.Doc{}, core.Fail(core.CodeNotFound, safe.Line(fmt.Sprintf("%s did not give the prompt %s: %v", expert, name, err)), "/prompts "+expert+" lists what it has")
	}
	return core.Doc{Draft: safe.Text(text)}, nil
}

// attachment is a resource that is named in a prompt.
var attachment = regexp.MustCompile(`(^|\s)@([A-Za-z][A-Za-z0-9_-]{1,47}):([A-Za-z][A-Za-z0-9+.-]*:\S+)`)

// withResources is a prompt with the resources that it names, appended to it.
func (r *Room) withResources(ctx context.Context, text string) (string, error) {
	named := attachment.FindAllStringSubmatch(text, maxAttached+1)
	if len(named) > maxAttached {
		return "", core.Fail(core.CodeInvalid, fmt.Sprintf("a prompt takes %d resources at most", maxAttached), "ask about fewer at once")
	}
	text = attachment.ReplaceAllString(text, "$1$2:$3")
	for _, one := range named {
		content, err := r.readOf(ctx, one[2], one[3])
		if err != nil {
			return "", err
		}
		text = core.Attach(text, one[2]+":"+one[3], content)
		r.watch(ctx, one[2], one[3])
	}
	return text, nil
}

// watch subscribes to a resource that was attached. It is no fault if the expert has no
// subscriptions.
func (r *Room) watch(ctx context.Context, expert, uri string) {
	if l, err := r.hub.ResourceProvider(expert); err == nil {
		if err := l.Watch(ctx, uri); err != nil {
			r.log.Debug("a resource is not watched", "expert", expert, "uri", uri, "err", err)
		}
	}
}

// changed says that an attached resource has changed since a prompt was given it.
func (r *Room) changed(expert, uri string) {
	name := safe.Line("@" + expert + ":" + uri)
	r.notice("info", name+" has changed since it was attached", "name it again in a prompt to have it as it is now")
}
