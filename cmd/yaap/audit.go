package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/safe"
	"yaap/core/store"
)

func (p *program) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Look at the log of what every agent answered, and check it",
		Long: "Every answer of an agent or an expert is a row of the audit log, and so is each\n" +
			"state that a run comes into. Rows are only added, and each holds the hash of the\n" +
			"one before it.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var q core.AuditQuery
	var thoughts bool
	var head string
	show := &cobra.Command{
		Use:   "show",
		Short: "Print the newest answers in the log",
		Args:  misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Limit < 0 {
				return usage(errors.New("--limit is how many rows to print; 0 prints all"))
			}
			q.Thread = p.options.thread
			return p.audit(cmd.Context(), func(ctx context.Context, s *store.Store, out io.Writer) error {
				return p.showAudit(ctx, s, out, q, thoughts)
			})
		},
	}
	flags := show.Flags()
	flags.StringVar(&q.Run, "run", "", "only of the run of this id and those below it")
	flags.StringVar(&p.options.thread, "thread", "", "only of the conversation of this id")
	flags.StringVar(&q.Text, "grep", "", "only with this text in the thought or the message")
	flags.IntVar(&q.Limit, "limit", 50, "at most so many rows, the newest; 0: all")
	flags.BoolVarP(&thoughts, "thought", "v", false, "print the thoughts, too")
	verify := &cobra.Command{
		Use:   "verify",
		Short: "Check that every row is as it was written, and in its place",
		Long: "Check that every row is as it was written and in its place, that every run is what\n" +
			"the log tells of it, and that the log still begins as it did when its head was\n" +
			"kept. The head is the number of rows and the hash of the last one. One is kept in a\n" +
			"file beside the database, which tells a log that was emptied, cut off or made anew.\n" +
			"Whoever can write your files can make both anew: note the head that is printed\n" +
			"somewhere else, and give it with --head. The log and the runs are checked, and not\n" +
			"what is kept beside them: messages, events, questions and the memory.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var known core.AuditHead
			if cmd.Flags().Changed("head") {
				var err error
				if known, err = core.ParseAuditHead(head); err != nil {
					return err
				}
			}
			return p.audit(cmd.Context(), func(ctx context.Context, s *store.Store, out io.Writer) error {
				return verifyAudit(ctx, s, out, known)
			})
		},
	}
	verify.Flags().StringVar(&head, "head", "", "a head that was printed before: the log must begin with the rows up to it")
	cmd.AddCommand(show, verify,
		&cobra.Command{
			Use:   "export",
			Short: "Print the whole log as lines of JSON",
			Args:  misuse(cobra.NoArgs),
			RunE:  func(cmd *cobra.Command, _ []string) error { return p.audit(cmd.Context(), exportAudit) },
		})
	return cmd
}

// audit opens the store, without a room around it, and prints what do writes.
func (p *program) audit(ctx context.Context, do func(context.Context, *store.Store, io.Writer) error) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.StateDir)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	err = do(ctx, s, out)
	if failed := out.Flush(); failed != nil {
		err = &core.Error{
			Code: core.CodeInternal, Op: "audit", Message: "the log cannot be written to standard output",
			Hint: "look after what reads it", Err: failed,
		}
	}
	return errors.Join(err, s.Close())
}

// noHead is said of a log that may have had more rows than it has.
const noHead = "; no head was kept, so nothing shows whether there were more"

func verifyAudit(ctx context.Context, s *store.Store, out io.Writer, known core.AuditHead) error {
	report, err := s.VerifyAudit(ctx, known)
	if err != nil {
		return err
	}
	rows := plural(report.Rows, "row", "rows")
	if report.Redacted > 0 {
		rows += fmt.Sprintf(", %d redacted", report.Redacted)
	}
	if report.Rows > 0 {
		rows += ", head " + report.Head.String()
	}
	if len(report.Faults) > 0 {
		say(out, rows)
		return auditFault(report)
	}
	if report.Rows == 0 {
		say(out, rows+noHead)
		return nil
	}
	say(out, rows+": intact")
	switch behind := report.Head.Rows - report.Kept.Rows; {
	case report.Kept == (core.AuditHead{}):
		say(out, "no head was kept beside the database before: a log that was made anew until now would not be told")
	case behind > 0:
		say(out, plural(int(behind), "row", "rows")+" after the head that was kept: it follows the log, and a crash or another window can keep it behind")
	}
	if known != (core.AuditHead{}) {
		say(out, "the first "+plural(int(known.Rows), "row is", "rows are")+" those of the head that you gave")
	}
	return nil
}

// auditFault says all that is wrong with the log.
func auditFault(report core.AuditReport) error {
	whys := make([]string, len(report.Faults))
	for i, f := range report.Faults {
		whys[i] = f.String()
	}
	return &core.Error{
		Code: core.CodeCorrupt, Op: "audit", Message: "the audit log is not as it was written\n" + strings.Join(whys, "\n"),
		Hint: "compare it with an export or a copy of the database. If you put an older copy in its\n" +
			"place yourself, remove the file that its head is kept in: a new one is kept from the\n" +
			"next answer on",
	}
}

func exportAudit(ctx context.Context, s *store.Store, out io.Writer) error {
	for e, err := range s.AuditLog(ctx) {
		if err != nil {
			return err
		}
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, safe.JSON(string(line))); err != nil {
			return nil //nolint:nilerr // the writer keeps the error and flushing it tells
		}
	}
	return nil
}

func (p *program) showAudit(ctx context.Context, s *store.Store, out io.Writer, q core.AuditQuery, thoughts bool) error {
	if q.Run != "" {
		run, err := s.FindRun(ctx, q.Run)
		if err != nil {
			return err
		}
		q.Run = run.ID
	}
	if q.Thread != "" {
		thread, err := s.Thread(ctx, q.Thread)
		if err != nil {
			return err
		}
		q.Thread = thread.ID
	}
	entries, err := s.Audit(ctx, q)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		say(p.stderr, "the audit log has no such row")
	}
	if head, err := s.AuditHead(ctx); err == nil && head.Rows > 0 {
		say(p.stderr, "head "+head.String())
	}
	for _, e := range entries {
		say(out, auditLine(e.Row))
		if thoughts && e.Row.Thought != "" {
			say(out, "    "+strings.ReplaceAll(safe.Text(e.Row.Thought), "\n", "\n    "))
		}
	}
	return nil
}

// auditLine is a row in one line: when, who, how it went, and what was said.
func auditLine(row core.AuditRow) string {
	who, status := row.Actor, string(row.Status)
	if row.Node != "" {
		who += " (" + row.Node + ")"
	}
	if row.Said != row.Status {
		status = string(row.Said) + " → " + status
	}
	return row.Time.Local().Format("2006-01-02 15:04:05") + "  " +
		strings.Join([]string{safe.Cut(who, 60), safe.Cut(status, 60), safe.Cut(row.Message, 100)}, "  ")
}
