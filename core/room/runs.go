package room

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/text"
)

// asking begins the state of a run that asks the user something.
const asking = "asks: "

// chainRow is a run of a chain, or any other that waits for the user.
type chainRow struct {
	core.RunRow
	state    string // for people
	question string // names the one of this row where the run asks several
}

// name is what one types to go on with a run, or to answer it.
func (r chainRow) name() string { return cmp.Or(r.question, r.ID) }

// short is the same, in the few letters by which an id ends.
func (r chainRow) short() string { return cmp.Or(r.question, r.ID[max(len(r.ID)-8, 0):]) }

// called is how people call the chain.
func (r chainRow) called() string {
	name := strings.TrimPrefix(r.Runner, "chain/")
	if filepath.IsAbs(name) {
		name = filepath.Base(name)
	}
	return name
}

// chainRuns lists the runs of chains, the newest first, after all others that
// wait for the user. One that asks several things has a row for each.
func chainRuns(ctx context.Context, s *store.Store, limit int) ([]chainRow, error) {
	runs, err := s.Runs(ctx, "chain/", limit)
	if err != nil {
		return nil, err
	}
	pauses, err := s.Pauses(ctx, "")
	if err != nil {
		return nil, err
	}
	asks := map[string][]core.Pause{}
	for _, p := range pauses {
		asks[p.Root] = append(asks[p.Root], p)
	}
	var rows []chainRow
	add := func(run core.RunRow) {
		open := asks[run.ID]
		delete(asks, run.ID)
		for _, p := range open {
			row := chainRow{RunRow: run, state: asking + p.Question}
			if len(open) > 1 {
				row.question = p.Ref()
			}
			rows = append(rows, row)
		}
		if len(open) == 0 {
			rows = append(rows, chainRow{RunRow: run, state: stateWord(run)})
		}
	}
	for _, p := range pauses {
		run, err := s.FindRun(ctx, p.Root)
		if err != nil {
			return nil, err
		}
		if len(asks[p.Root]) > 0 && !strings.HasPrefix(run.Runner, "chain/") {
			add(run)
		}
	}
	for _, run := range runs {
		add(run)
	}
	return rows, nil
}

// stateWord is how far a run is, in a word.
func stateWord(run core.RunRow) string {
	switch {
	case run.State == core.RunFailed && run.Code == core.CodeCancelled:
		return "cancelled"
	case run.State != core.RunInterrupted:
		return string(run.State)
	}
	switch run.Code {
	case core.CodeTurnLimit, core.CodeMaxTurns:
		return "turn limit"
	case core.CodeTimedOut:
		return "out of time"
	case core.CodeStopped:
		return "stopped"
	}
	return string(run.State)
}

// TellWaiting tells what waits for the user in the other conversations of this directory.
func (r *Room) TellWaiting(ctx context.Context, thread string) error {
	pauses, err := r.store.Pauses(ctx, "")
	if err != nil {
		return err
	}
	var waiting []core.Pause
	for _, p := range pauses {
		of, err := r.store.Thread(ctx, p.Thread)
		if err != nil {
			return err
		}
		if p.Thread != thread && of.Dir == r.Config.Dir {
			waiting = append(waiting, p)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	told := core.Notice{Level: "warn", Text: text.Count(len(waiting), "question waits", "questions wait") + " for you in other conversations", Hint: "/chain runs lists them"}
	if len(waiting) == 1 {
		run, err := r.store.FindRun(ctx, waiting[0].Root)
		if err != nil {
			return err
		}
		row := chainRow{RunRow: run}
		told.Text = safe.Cut(safe.Line(row.called()+" waits for you: "+waiting[0].Question), 200)
		told.Hint = "/chain answer " + row.short() + " " + core.AnswerWord + " answers it; /sessions opens its conversation"
	}
	r.bus.Emit(core.Scope{}, told)
	return nil
}
