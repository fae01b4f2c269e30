package room

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/docs"
)

const (
	suggestTime = 3 * time.Second // for an expert to say what may follow
	maxSuggests = 50
)

var (
	typedResource = regexp.MustCompile(`(?:^|\s)@([A-Za-z][A-Za-z0-9_-]*):(\S*)$`)
	typedPrompt   = regexp.MustCompile(`^/([A-Za-z][A-Za-z0-9_-]*):(\S*)((?:\s+\S+)*?)(?:\s+(\S*))?$`)
	typedChain    = regexp.MustCompile(`^/chain\s+(\w+)\s+(\S*)$`)
	typedTopic    = regexp.MustCompile(`^/help\s+(\S*)$`)
	typedExport   = regexp.MustCompile(`^/export\s+(\S*)$`)
	typedRevoke   = regexp.MustCompile(`^/trust\s+revoke\s+(\S*)$`)
	typedModel    = regexp.MustCompile(`^/model\s+(\S*)$`)
	templateVar   = regexp.MustCompile(`\{[+#./;?&]?(\w+)[^}]*\}`)
)

// Suggest is what the text before the cursor may go on as, where only others know: a
// file behind @, a resource behind @EXPERT:, a prompt behind /EXPERT:, an argument of it, a
// model, a chain, a run of one, a document, a file to be written, what is allowed.
func (w *Window) Suggest(ctx context.Context, before string) []core.Suggestion {
	if m := typedModel.FindStringSubmatch(before); m != nil {
		return within(before, w.models.suggest(ctx, m[1]))
	}
	if m := typedChain.FindStringSubmatch(before); m != nil {
		return within(before, w.suggestChain(ctx, m[1], m[2]))
	}
	if m := typedTopic.FindStringSubmatch(before); m != nil {
		var list []core.Suggestion
		for _, topic := range docs.Topics() {
			list = append(list, core.Suggestion{Text: topic, Insert: topic, Last: true})
		}
		return within(before, beginning(list, m[1]))
	}
	if m := typedRevoke.FindStringSubmatch(before); m != nil {
		return within(before, beginning(suggestRevoke(w.trust, w.Config.Dir), m[1]))
	}
	if m := typedExport.FindStringSubmatch(before); m != nil {
		return within(before, suggestExport(m[1]))
	}
	if m := typedFile.FindStringSubmatch(before); m != nil && !strings.HasPrefix(before, "/") {
		ctx, cancel := context.WithTimeout(ctx, suggestTime)
		defer cancel()
		return within(before, w.suggestFiles(ctx, m[1]))
	}
	for _, pattern := range []*regexp.Regexp{typedResource, typedPrompt} {
		if m := pattern.FindStringSubmatch(before); m != nil {
			l, err := w.hub.ResourceProvider(m[1])
			if err != nil {
				return nil
			}
			return suggested(ctx, before, l)
		}
	}
	return nil
}

// suggestChain are the chains, or the runs of them, that a command may be about.
func (r *Room) suggestChain(ctx context.Context, command, typed string) (list []core.Suggestion) {
	switch command {
	case "run", "show", "check", "plan":
		files, _ := filepath.Glob(filepath.Join(r.Config.Dir, "*.y*ml")) // no pattern of the user's
		for _, file := range files {
			list = append(list, core.Suggestion{Text: filepath.Base(file)})
		}
		for _, name := range chainNames(r.Config) {
			list = append(list, core.Suggestion{Text: name})
		}
	case "answer", "resume", "cancel", "fork":
		runs, err := chainRuns(ctx, r.store.Store, maxSuggests)
		if err != nil {
			return nil
		}
		for _, run := range runs {
			waits := strings.HasPrefix(run.state, asking)
			if waits || command == "fork" || command != "answer" && run.State != core.RunCompleted {
				list = append(list, core.Suggestion{Text: run.short(), Help: run.called() + " " + run.state})
			}
		}
	}
	for i := range list {
		list[i].Insert = core.QuoteWord(list[i].Text) + " "
	}
	return beginning(list, typed)
}

// suggestExport are the files of the name that is typed, one for each form of an export.
func suggestExport(typed string) (list []core.Suggestion) {
	name := cmp.Or(strings.TrimSuffix(typed, filepath.Ext(typed)), "conversation")
	for _, f := range formats() {
		file := name + "." + f.names[0]
		list = append(list, core.Suggestion{Text: file, Help: f.what, Insert: core.QuoteWord(file), Last: true})
	}
	return beginning(list, typed)
}

// beginning are the suggestions that begin with what is typed last.
func beginning(list []core.Suggestion, typed string) []core.Suggestion {
	list = slices.DeleteFunc(list, func(s core.Suggestion) bool { return !strings.HasPrefix(s.Insert, typed) })
	for i := range list {
		list[i].At = -len(typed)
	}
	return list
}

// suggested is what an expert says that a text may go on as.
func suggested(ctx context.Context, before string, l hub.ResourceProvider) (list []core.Suggestion) {
	ctx, cancel := context.WithTimeout(ctx, suggestTime)
	defer cancel()
	if m := typedResource.FindStringSubmatch(before); m != nil {
		list = suggestResources(ctx, l, m[2])
	} else if m := typedPrompt.FindStringSubmatchIndex(before); m != nil {
		list = suggestPrompts(ctx, l, before, m)
	}
	return within(before, list)
}

// within are suggestions that can be shown, at their places in the text. A text that is
// whole has none.
func within(before string, list []core.Suggestion) []core.Suggestion {
	list = slices.DeleteFunc(list, func(s core.Suggestion) bool { return strings.TrimSpace(s.Insert) != safe.Line(s.Insert) })
	if slices.ContainsFunc(list, func(s core.Suggestion) bool { return strings.TrimSpace(s.Insert) == before[len(before)+s.At:] }) {
		return nil // it is whole
	}
	list = list[:min(len(list), maxSuggests)]
	for i, s := range list {
		list[i].Text, list[i].Help = safe.Cut(safe.Line(s.Text), 200), safe.Cut(safe.Line(s.Help), 200)
		list[i].At += len(before)
	}
	return list
}

// suggestResources are the resources that a part of an address may become; At is
// counted from the end.
func suggestResources(ctx context.Context, l hub.ResourceProvider, typed string) (list []core.Suggestion) {
	resources, err := l.Resources(ctx)
	if err != nil {
		return nil
	}
	for _, one := range resources {
		switch {
		case one.Template:
			list = append(list, suggestTemplate(ctx, l, one, typed)...)
		case strings.Contains(strings.ToLower(one.URI+" "+one.Name), strings.ToLower(typed)):
			list = append(list, core.Suggestion{Text: one.URI, Help: one.Name, Insert: one.URI + " ", At: -len(typed)})
		}
	}
	return list
}

// suggestTemplate goes on to the next variable of a template, or says what it may be.
func suggestTemplate(ctx context.Context, l hub.ResourceProvider, one core.Resource, typed string) (list []core.Suggestion) {
	rest, at := one.URI, 0 // of the template, of what is typed
	known := map[string]string{}
	for {
		m := templateVar.FindStringSubmatchIndex(rest)
		if m == nil {
			return nil
		}
		literal, left := rest[:m[0]], typed[at:]
		if len(left) < len(literal) {
			if strings.HasPrefix(literal, left) {
				list = []core.Suggestion{{Text: one.URI, Help: one.Name, Insert: literal, At: at - len(typed)}}
			}
			return list
		}
		if !strings.HasPrefix(left, literal) {
			return nil
		}
		at += len(literal)
		name, after := rest[m[2]:m[3]], rest[m[1]:]
		next := after
		if m := templateVar.FindStringIndex(after); m != nil {
			next = after[:m[0]]
		}
		end := strings.Index(typed[at:], next)
		if next == "" || end < 0 { // this one is being typed
			values, _ := l.Complete(ctx, core.Completing{Template: one.URI, Arg: name, Typed: typed[at:], Known: known})
			for _, value := range values {
				list = append(list, core.Suggestion{Text: value, Help: name + " of " + one.URI, Insert: value + next, At: at - len(typed)})
			}
			return list
		}
		known[name] = typed[at : at+end]
		rest, at = after, at+end
	}
}

// suggestPrompts are prompts, or arguments of the one that is named. m is where
// [typedPrompt] found the expert, the prompt, the words behind it and the last one.
func suggestPrompts(ctx context.Context, l hub.ResourceProvider, before string, m []int) (list []core.Suggestion) {
	prompts, err := l.Prompts(ctx)
	if err != nil {
		return nil
	}
	name, words := before[m[4]:m[5]], strings.Fields(before[m[6]:m[7]])
	if m[8] < 0 { // the name is being typed
		for _, p := range prompts {
			if strings.HasPrefix(strings.ToLower(p.Name), strings.ToLower(name)) {
				insert := p.Name
				if len(p.Args) > 0 {
					insert += " "
				}
				list = append(list, core.Suggestion{Text: p.Name, Help: p.Description, Insert: insert, At: -len(name)})
			}
		}
		return list
	}
	last := before[m[8]:m[9]]
	at := slices.IndexFunc(prompts, func(p core.PromptSpec) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	known := map[string]string{}
	for _, word := range words {
		if arg, value, ok := strings.Cut(word, "="); ok {
			known[arg] = value
		}
	}
	if arg, typed, ok := strings.Cut(last, "="); ok {
		values, _ := l.Complete(ctx, core.Completing{Prompt: name, Arg: arg, Typed: typed, Known: known})
		for _, value := range values {
			list = append(list, core.Suggestion{Text: value, Help: arg, Insert: core.QuoteWord(value), At: -len(typed)})
		}
		return list
	}
	for _, a := range prompts[at].Args {
		if _, given := known[a.Name]; !given && strings.HasPrefix(a.Name, last) {
			help := strings.TrimSpace(map[bool]string{true: "required "}[a.Required] + a.Description)
			list = append(list, core.Suggestion{Text: a.Name + "=", Help: help, Insert: a.Name + "=", At: -len(last)})
		}
	}
	return list
}
