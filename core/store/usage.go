package store

import (
	"context"
	"database/sql"

	"github.com/yaap-chat/yaap/core"
)

// ModelUsage is what one model was asked in a conversation.
type ModelUsage struct {
	Model    string
	Requests int
	Usage    core.Usage
	Last     int // tokens that its last request took
}

// Usage returns what each model was asked in a conversation and below its runs, the most
// used first. What was said before a branch is not counted again.
func (s *Store) Usage(ctx context.Context, thread string) ([]ModelUsage, error) {
	return list(ctx, s, "count what was asked in thread "+thread, func(rows *sql.Rows) (u ModelUsage, err error) {
		return u, rows.Scan(&u.Model, &u.Requests, &u.Usage.Prompt, &u.Usage.Cached, &u.Usage.Completion, &u.Usage.Estimated, &u.Last)
	}, `
		WITH asked AS (SELECT run, body ->> '$.data.call' AS call, body ->> '$.data.model' AS model, at_us
				FROM event WHERE thread = ?1 AND type = 'llm_call_start'),
			told AS (SELECT run, body ->> '$.data.call' AS call, body -> '$.data.usage' AS usage
				FROM event WHERE thread = ?1 AND type = 'llm_call_end')
		SELECT model, count(*), sum(usage ->> 'prompt'), sum(coalesce(usage ->> 'cached', 0)), sum(usage ->> 'completion'),
			max(coalesce(usage ->> 'estimated', 0)), (SELECT usage ->> 'prompt' FROM asked AS late JOIN told USING (run, call) WHERE late.model = asked.model ORDER BY late.at_us DESC LIMIT 1)
		FROM asked JOIN told USING (run, call) GROUP BY model ORDER BY sum(usage ->> 'prompt') DESC, model`, thread)
}
