package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

// Judge is a model that looks at answers.
type Judge struct {
	Model string `yaml:"model"`
	Rules string `yaml:"rules"`
	Open  bool   `yaml:"open"` // an answer passes that cannot be judged
}

// String tells which model it is.
func (j Judge) String() string { return j.Model }

// Guards are the policies of the four stages.
type Guards map[core.GuardStage]guard.Policy

func stages() []core.GuardStage {
	return []core.GuardStage{core.GuardInput, core.GuardArgs, core.GuardResult, core.GuardOutput}
}

// defaultGuards take secrets out wherever they pass.
func defaultGuards() Guards {
	g := Guards{}
	for _, stage := range stages() {
		g[stage] = guard.Policy{Secrets: guard.Redact}
	}
	return g
}

// readGuards reads what the file says of every guardrail: one verdict, or one
// for each stage that it names. What is not said stays as it was.
func readGuards(said map[string]any) (Guards, error) {
	g := defaultGuards()
	for _, name := range slices.Sorted(maps.Keys(said)) {
		switch v := said[name].(type) {
		case string:
			for _, stage := range stages() {
				if err := g.set(stage, name, v); err != nil {
					return nil, err
				}
			}
		case map[string]any:
			for _, stage := range slices.Sorted(maps.Keys(v)) {
				if err := g.set(core.GuardStage(stage), name, fmt.Sprint(v[stage])); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("%s is %v", name, v)
		}
	}
	return g, nil
}

func (g Guards) set(stage core.GuardStage, name, verdict string) error {
	v, err := guard.ParseVerdict(verdict)
	if err != nil {
		return err
	}
	if !slices.Contains(stages(), stage) {
		var names []string
		for _, s := range stages() {
			names = append(names, string(s))
		}
		return fmt.Errorf("%q is no stage: there are %s", stage, strings.Join(names, ", "))
	}
	p := g[stage]
	switch name {
	case "secrets":
		p.Secrets = v
	case "personal":
		p.Personal = v
	case "injection":
		p.Injection = v
	default:
		return fmt.Errorf("there is no guardrail %q: there are secrets, personal and injection", name)
	}
	g[stage] = p
	return nil
}

// String says what is done about what, and where it is not the same everywhere.
func (g Guards) String() string {
	var said []string
	for _, rail := range []struct {
		name string
		of   func(guard.Policy) guard.Verdict
	}{
		{"secrets", func(p guard.Policy) guard.Verdict { return p.Secrets }},
		{"personal", func(p guard.Policy) guard.Verdict { return p.Personal }},
		{"injection", func(p guard.Policy) guard.Verdict { return p.Injection }},
	} {
		first := rail.of(g[stages()[0]])
		same := !slices.ContainsFunc(stages(), func(s core.GuardStage) bool { return rail.of(g[s]) != first })
		for _, stage := range stages() {
			verdict := rail.of(g[stage])
			switch {
			case verdict == "" || verdict == guard.Allow:
			case same:
				said = append(said, rail.name+": "+string(verdict))
			default:
				said = append(said, fmt.Sprintf("%s in %s: %s", rail.name, stage, verdict))
			}
			if same {
				break
			}
		}
	}
	return strings.Join(said, ", ")
}
