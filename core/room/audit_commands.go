package room

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

func auditCommands() []Command {
	return []Command{
		{
			Command: core.Command{Name: "audit", Does: "look at the log of what every agent answered, and check it"},
			Long: "Every answer of an agent or an expert is a row of the audit log, and so is each\n" +
				"change of the state of a run. Rows are only added, and each holds the hash of the\n" +
				"one before it.",
			Where: atShell,
		},
		{
			Command: core.Command{Name: "audit show", Does: "print the newest answers in the log", Flags: []core.Flag{
				{Name: "run", Default: "", Does: "only of the run of this id and those below it"},
				{Name: "grep", Default: "", Does: "only with this text in the thought or the message"},
				{Name: "limit", Default: 50, Does: "how many rows, the newest; 0: all"},
				{Name: "thought", Letter: "v", Default: false, Does: "print the thoughts, too"},
			}},
			Long:  "Print the newest answers in the log; with --thread only those of one conversation.",
			Where: atShell, Stored: true, Run: showAudit,
		},
		{
			Command: core.Command{Name: "audit verify", Does: "check that every row is as it was written, and in its place", Flags: []core.Flag{
				{Name: "head", Default: "", Does: "a head that was printed before: the log must begin with the rows up to it"},
			}},
			Long: "Check that every row is as it was written and in its place, that every run is what\n" +
				"the log tells of it, and that the log still begins as it did when its head was\n" +
				"kept. The head is the number of rows and the hash of the last one. One is kept in a\n" +
				"file beside the database, which tells a log that was emptied, cut off or made anew.\n" +
				"Whoever can write your files can make both anew: note the head that is printed\n" +
				"somewhere else, and give it with --head. The log and the runs are checked, and not\n" +
				"what is kept beside them: messages, events, questions and the memory.",
			Where: atShell, Stored: true, Run: verifyAudit,
		},
		{Command: core.Command{Name: "audit export", Does: "print the whole log as lines of JSON"}, Where: atShell, Stored: true, Run: exportAudit},
	}
}

// noHead is said of a log that may have had more rows than it has.
const noHead = "; no head was kept, so nothing shows whether there were more"

func verifyAudit(ctx context.Context, c *Call) (core.Doc, error) {
	var known core.AuditHead
	if head := c.text("head"); head != "" {
		var err error
		if known, err = core.ParseAuditHead(head); err != nil {
			return core.Doc{}, err
		}
	}
	report, err := c.store.VerifyAudit(ctx, known)
	if err != nil {
		return core.Doc{}, err
	}
	rows := text.Count(report.Rows, "row", "rows")
	if report.Redacted > 0 {
		rows += fmt.Sprintf(", %d redacted", report.Redacted)
	}
	if report.Rows > 0 {
		rows += ", head " + report.Head.String()
	}
	if len(report.Faults) > 0 {
		return core.Say(core.Block, rows), auditFault(report)
	}
	if report.Rows == 0 {
		return core.Say(core.Block, rows+noHead), nil
	}
	lines := []string{rows + ": intact"}
	switch behind := report.Head.Rows - report.Kept.Rows; {
	case report.Kept == (core.AuditHead{}):
		lines = append(lines, "no head was kept beside the database before: a log that was made anew until now would not be told")
	case behind > 0:
		lines = append(lines, text.Count(int(behind), "row", "rows")+" after the head that was kept: it follows the log, and a crash or another window can keep it behind")
	}
	if known != (core.AuditHead{}) {
		lines = append(lines, "the first "+text.Count(int(known.Rows), "row is", "rows are")+" those of the head that you gave")
	}
	return core.Say(core.Block, strings.Join(lines, "\n")), nil
}

// auditFault says all that is wrong with the log.
func auditFault(report core.AuditReport) error {
	whys := make([]string, len(report.Faults))
	for i, f := range report.Faults {
		whys[i] = f.String()
	}
	return core.Fail(core.CodeCorrupt, "the audit log is not as it was written\n"+strings.Join(whys, "\n"), "compare it with an export or a copy of the database. If you put an older copy in its\n"+
		"place yourself, remove the file that its head is kept in: a new one is kept from the\n"+
		"next answer on")
}

func exportAudit(ctx context.Context, c *Call) (core.Doc, error) {
	for e, err := range c.store.AuditLog(ctx) {
		if err != nil {
			return core.Doc{}, err
		}
		line, err := json.Marshal(e)
		if err != nil {
			return core.Doc{}, err
		}
		if _, err := fmt.Fprintln(c.Out, safe.JSON(string(line))); err != nil {
			return core.Doc{}, nil //nolint:nilerr // the writer keeps the error and flushing it tells
		}
	}
	return core.Doc{}, nil
}

func showAudit(ctx context.Context, c *Call) (doc core.Doc, err error) {
	q := core.AuditQuery{Run: c.text("run"), Thread: c.Thread, Text: c.text("grep"), Limit: c.number("limit")}
	if q.Limit < 0 {
		return doc, core.Fail(core.CodeInvalid, "--limit is how many rows to print; 0 prints all", "type yaap audit show --help")
	}
	if q.Run != "" {
		run, err := c.namedRun(ctx, q.Run)
		if err != nil {
			return doc, err
		}
		q.Run = run.ID
	}
	if q.Thread != "" {
		thread, err := c.store.Thread(ctx, q.Thread)
		if err != nil {
			return doc, err
		}
		q.Thread = thread.ID
	}
	entries, err := c.store.Audit(ctx, q)
	if err != nil {
		return doc, err
	}
	var lines []string
	for _, e := range entries {
		lines = append(lines, auditLine(e.Row))
		if c.is("thought") && e.Row.Thought != "" {
			lines = append(lines, "    "+strings.ReplaceAll(safe.Text(e.Row.Thought), "\n", "\n    "))
		}
	}
	if len(entries) == 0 {
		doc = core.Say(core.Remark, "the audit log has no such row")
	} else {
		doc = core.Say(core.Block, strings.Join(lines, "\n"))
	}
	if head, err := c.store.AuditHead(ctx); err == nil && head.Rows > 0 {
		doc.Remark("head " + head.String())
	}
	return doc, nil
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
