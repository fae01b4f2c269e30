package link

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
)

// A tool may run as a task: its call is answered at once with the name of a task, and
// the server is asked how that is, and for the outcome.

const (
	taskLife  = time.Hour              // that a server is asked to keep a task and its result
	taskBegin = 5 * time.Second        // for a server to name the task of a call that is cancelled
	lookFirst = 100 * time.Millisecond // where the server does not say how often it may be asked
	lookLater = 5 * time.Second

	lookLeast, lookMost = 20, 60_000 // milliseconds between two looks, whatever it says
)

// hasTasks reports whether the expert takes calls as tasks. The newer era of MCP has
// tasks of another kind.
func (l *childLink) hasTasks() bool {
	said := l.client.GetServerCapabilities().Tasks
	return said != nil && said.Requests != nil && said.Requests.Tools != nil && said.Requests.Tools.Call != nil && !mcp.IsModernProtocol(l.client.ProtocolVersion())
}

// isTask reports whether a tool is called as a task; name is the expert's own.
func (l *childLink) isTask(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.tasks, name)
}

// callAsTask makes a call as a task, and returns its result as the server wrote it. A
// task whose call ends before it does is cancelled. What a task says of itself is told
// as progress.
func (l *childLink) callAsTask(ctx context.Context, request mcp.CallToolRequest, report func(core.ToolProgress)) (json.RawMessage, error) {
	life := taskLife.Milliseconds()
	request.Params.Task = &mcp.TaskParams{TTL: &life}
	begin, end := context.WithCancel(context.WithoutCancel(ctx)) // a task whose name is not known cannot be cancelled
	defer end()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(taskBegin, end) })()
	begin, raw := withRaw(begin)
	if _, err := l.client.CallTool(begin, request); *raw == nil { // the library knows no such answer
		return nil, err
	}
	said, err := readObject(*raw, "it")
	if err != nil || said["task"] == nil {
		return *raw, nil // it is a result already, or none that can be read
	}
	t, err := readTask(said["task"], "")
	if err != nil {
		return nil, err
	}
	result, err := l.finish(ctx, t, report)
	if ctx.Err() != nil {
		stopping, end := context.WithTimeout(context.WithoutCancel(ctx), politeTime)
		defer end()
		_, _ = l.client.CancelTask(stopping, mcp.CancelTaskRequest{Params: mcp.CancelTaskParams{TaskId: t.id}}) // it may be over
	}
	return result, err
}

// finish blocks until a task is over, and returns the outcome. A task that waits
// for the user asks while its result is asked for.
func (l *childLink) finish(ctx context.Context, t task, report func(core.ToolProgress)) (json.RawMessage, error) {
	wait, told := lookFirst, ""
	for {
		if t.message != told && report != nil {
			report(core.ToolProgress{Message: t.message, Fraction: -1})
		}
		told = t.message
		if t.status == mcp.TaskStatusCancelled {
			return nil, errors.New("its server has cancelled the task: " + t.message)
		}
		if t.status.IsTerminal() || t.status == mcp.TaskStatusInputRequired {
			break
		}
		timer := time.NewTimer(cmp.Or(t.wait, wait))
		wait = min(2*wait, lookLater)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		asked, raw := withRaw(ctx)
		_, err := l.client.GetTask(asked, mcp.GetTaskRequest{Params: mcp.GetTaskParams{TaskId: t.id}})
		if *raw == nil {
			return nil, err
		}
		if t, err = readTask(*raw, t.id); err != nil {
			return nil, err
		}
	}
	asked, raw := withRaw(ctx)
	if _, err := l.client.TaskResult(asked, mcp.TaskResultRequest{Params: mcp.TaskResultParams{TaskId: t.id}}); *raw == nil {
		return nil, err
	}
	return *raw, nil
}

// task is what a server says of one.
type task struct {
	id, message string
	status      mcp.TaskStatus
	wait        time.Duration // until the next look; 0: it says nothing
}

// readTask reads a task; id is its name, where that is known.
func readTask(raw json.RawMessage, id string) (task, error) {
	t := task{id: id}
	var status string
	o, err := readObject(raw, "its task")
	if err == nil && id == "" {
		t.id, err = o.text("taskId", "task.")
	}
	if err == nil {
		status, err = o.text("status", "task.")
	}
	if err == nil && t.id == "" {
		err = errors.New("its task has no taskId")
	}
	if err != nil {
		return t, &unreadable{core.ToolCodeMalformedResponse, "its answer cannot be read: " + err.Error()}
	}
	t.status = mcp.TaskStatus(status)
	t.message, _ = o.text("statusMessage", "")
	var milliseconds float64
	if json.Unmarshal(o["pollInterval"], &milliseconds) == nil && milliseconds > 0 {
		t.wait = time.Duration(max(lookLeast, min(milliseconds, lookMost))) * time.Millisecond
	}
	return t, nil
}
