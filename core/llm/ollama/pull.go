package ollama

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

const (
	pullSilence = 5 * time.Minute // that the server may say nothing: it reads what it got once more at the end
	maxPullLine = 64 << 10
)

// Pulled is how far a model has come.
type Pulled struct {
	Status      string // what the server does, in its words
	Done, Total int64  // bytes of what it has begun to get; Total is 0 as long as it has begun nothing
}

// Pull has the server get a model and blocks until it is there. told is called from
// this goroutine whenever the server says how far it is. A model that came in part goes
// on where it stopped.
func Pull(ctx context.Context, baseURL, name string, told func(Pulled)) error {
	c := client{base: baseURL, model: name, http: NewHTTP(nil)}
	defer c.http.CloseIdleConnections()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(pullSilence, func() { cancel(errSilent) })
	defer watch.Stop()
	resp, err := c.server().Do(ctx, "/api/pull", api.PullRequest{Model: name})
	if err != nil {
		return c.ended(ctx, err)
	}
	defer func() { _ = resp.Body.Close() }()
	parts := map[string]api.ProgressResponse{} // by digest
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxPullLine)
	for lines.Scan() {
		watch.Reset(pullSilence)
		var line struct {
			api.ProgressResponse
			Error web.Fault `json:"error"`
		}
		switch err := json.Unmarshal(lines.Bytes(), &line); {
		case err != nil:
			return c.server().DecodeError(err)
		case line.Error.Text != "":
			return c.server().Fail(0, line.Error)
		case line.Status == "success":
			return nil
		case line.Digest != "" && len(parts) < maxModels:
			parts[line.Digest] = line.ProgressResponse
		}
		p := Pulled{Status: line.Status}
		for _, part := range parts {
			p.Done, p.Total = p.Done+part.Completed, p.Total+part.Total
		}
		told(p)
	}
	err = cmp.Or(lines.Err(), errors.New("it ended before the model was there"))
	return c.ended(ctx, core.Fail(core.CodeUnreachable, "the connection to Ollama was lost", "ask for it again: it goes on where it stopped").Because(err))
}

// ended says in words why a request ended early.
func (c client) ended(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return c.server().TimeoutError(ctx, err)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Load has the server load the model, so that the first answer begins sooner.
func (m *Model) Load(ctx context.Context) error {
	d, err := m.details(ctx)
	if err != nil {
		return err
	}
	empty := request{Model: m.cfg.Model, Options: m.options(d), KeepAlive: keepAlive.String()}
	return m.client.server().Get(ctx, "/api/generate", empty, new(struct{}))
}
