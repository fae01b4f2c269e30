package agent

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// misfit says what is wrong with the data of a success, by the schema that the agent has
// for it, and reports that.
func (r *run) misfit(reply core.Reply) error {
	if len(r.cfg.DataSchema) == 0 || reply.Status != core.StatusSuccess {
		return nil
	}
	compiled := r.schemas.get(r.cfg.DataSchema)
	raw, err := json.Marshal(reply.Data)
	if compiled == nil || err != nil {
		return errors.New("data: it cannot be checked")
	}
	issues := compiled.Check(raw)
	if len(issues) == 0 {
		return nil
	}
	r.emit(r.at(), core.DecodeError{Errors: issues})
	return errors.New("data: " + strings.Join(issues, "; "))
}

// fitting is an answer whose data fit, or a failure that says why they do not.
func (r *run) fitting(a answer) answer {
	if err := r.misfit(a.reply); err != nil {
		a.said, a.reply.Status = a.reply.Status, core.StatusFailure
		a.reply.Message = strings.TrimSpace(a.reply.Message + "\n\n(" + err.Error() + ")")
	}
	return a
}
