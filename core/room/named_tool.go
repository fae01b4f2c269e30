package room

import (
	"regexp"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/rank"
	"github.com/yaap-chat/yaap/core/yaap"
)

var toolWord = regexp.MustCompile(`^[A-Za-z0-9_.-]+`)

// namedTool finds the typed tool that the user named: "@expert__tool words", where
// name is expert__tool, or "@expert tool words", where typed begins with the
// tool. It returns the words after it, which are its arguments. tool is nil where
// none is named. What looks like a call of a tool that is not there is refused.
func namedTool(all core.Toolset, name, typed string) (tool core.Tool, words string, err error) {
	if expert, own, ok := strings.Cut(name, "__"); ok {
		if tool = findTool(all, name); tool == nil {
			return nil, "", noTool(all, expert, own)
		}
		return tool, typed, nil
	}
	word := toolWord.FindString(typed)
	words = strings.TrimSpace(typed[len(word):])
	if strings.HasPrefix(typed, "{") || strings.HasPrefix(typed[len(word):], "=") {
		return onlyTool(all, name, typed)
	}
	if word == "" || words != "" && !strings.ContainsAny(typed[len(word):len(word)+1], " \t\n") {
		return nil, "", nil
	}
	if tool = findTool(all, name+"__"+word); tool != nil {
		return tool, words, nil
	}
	typedTools := slices.ContainsFunc(all.Tools, func(t core.Tool) bool {
		return yaap.Canonical(t.Spec().Owner) == yaap.Canonical(name) && t.Spec().Name != t.Spec().Owner
	})
	if _, ok := (core.ToolSpec{}).ReadArguments(words); ok && words != "" && typedTools {
		return nil, "", noTool(all, name, word)
	}
	return onlyTool(all, name, typed)
}

// onlyTool is the only tool of an expert, which is called as it is, where it takes arguments of
// its own and the user typed them, behind its name or not.
func onlyTool(all core.Toolset, name, typed string) (tool core.Tool, words string, err error) {
	tool = findTool(all, name)
	if tool == nil || tool.Spec().Name != tool.Spec().Owner {
		return nil, "", nil
	}
	params := tool.Spec().Parameters()
	if len(params) == 1 && params[0].Name == "prompt" {
		return nil, "", nil
	}
	if rest, again := strings.CutPrefix(typed, name+" "); again {
		typed = strings.TrimSpace(rest)
	}
	if _, ok := tool.Spec().ReadArguments(typed); !ok || typed == "" {
		return nil, "", nil
	}
	return tool, typed, nil
}

// unmasked refuses a call that the user wrote with what does not go to tools: they
// would be given the mark that stands for it, and act on that.
func unmasked(tool core.Tool, words string, p guard.Policy) error {
	clean, _ := p.Text(words)
	if args, ok := tool.Spec().ReadArguments(words); ok {
		args, _ = p.JSON(args)
		clean += string(args)
	}
	mark := guard.FirstMark(clean)
	if mark == "" {
		return nil
	}
	return core.Fail(core.CodeRefused, tool.Spec().Name+" was not called: "+mark+
		" stands for what does not go to an expert, and would have been used in its place", "put the value where it belongs yourself, or into the environment of the expert (env: in the configuration)")
}

// findTool takes the tool of exactly that name, and else the only one that has it
// when small letters and capitals count as the same, and - and _ do.
func findTool(all core.Toolset, name string) core.Tool {
	var like []core.Tool
	for _, tool := range all.Tools {
		switch own := tool.Spec().Name; {
		case own == name:
			return tool
		case strings.EqualFold(yaap.Canonical(own), yaap.Canonical(name)):
			like = append(like, tool)
		}
	}
	if len(like) != 1 {
		return nil
	}
	return like[0]
}

// hiddenTool says that a tool which is not there is one that has changed.
func hiddenTool(experts []core.Expert, name, typed string) error {
	if !strings.Contains(name, "__") {
		name += "__" + toolWord.FindString(typed)
	}
	for _, e := range experts {
		for _, c := range e.Changes {
			if strings.EqualFold(yaap.Canonical(c.Now.Name), yaap.Canonical(name)) {
				return core.Fail(core.CodeRefused, c.Now.Name+" has changed since you saw it first, and is hidden", "/trust "+e.Name+" shows how")
			}
		}
	}
	return nil
}

// noTool says which tools of an expert there are, those first that are called
// like the one that is not there.
func noTool(all core.Toolset, expert, name string) error {
	var own []string
	for _, tool := range all.Tools {
		if spec := tool.Spec(); yaap.Canonical(spec.Owner) == yaap.Canonical(expert) {
			own = append(own, strings.TrimPrefix(spec.Name, spec.Owner+"__"))
		}
	}
	err := core.Fail(core.CodeNotFound, "nobody called "+expert+" is in the room", "f2 shows who is here, and what they can do")
	if len(own) > 0 {
		slices.SortStableFunc(own, func(a, b string) int { return rank.Distance(name, a, 99) - rank.Distance(name, b, 99) })
		err.Message, err.Hint = expert+" has no tool "+name, "it has "+strings.Join(own[:min(len(own), 12)], ", ")
	}
	return err
}
