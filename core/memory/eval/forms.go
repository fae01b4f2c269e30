package eval

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// ownLine is a line of our own form, without what others have too.
type ownLine struct {
	Entry    string    `json:"entry"`
	Role     core.Role `json:"role"`
	At       time.Time `json:"at"`
	Text     string    `json:"text"`
	Category string    `json:"category"`
	Evidence []string  `json:"evidence"`
}

const ownMemory = "chat"

func (l *loader) addOwn(s shape) error {
	if s.Entry == "" {
		return l.ask(Question{ID: s.Question, Memory: ownMemory, Category: s.Category, Text: s.Text, Evidence: s.Evidence})
	}
	var thread string
	if err := json.Unmarshal(s.Conversation, &thread); err != nil {
		return errors.New("conversation is to be a name")
	}
	role := s.Role
	if role != core.RoleAssistant {
		role = core.RoleUser
	}
	return l.say(ownMemory, Message{ID: s.Entry, Thread: thread, Role: role, Time: s.At, Text: s.Text})
}

// locomo is a conversation in the form of LoCoMo.
type locomo struct {
	SampleID string           `json:"sample_id"`
	QA       []locomoQuestion `json:"qa"`
}

type locomoQuestion struct {
	Question string          `json:"question"`
	Evidence json.RawMessage `json:"evidence"`
	Category int             `json:"category"`
}

type locomoTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

var locomoID = regexp.MustCompile(`D\d+:\d+`) // evidence may name several in one string

func (l *loader) addLocomo(s shape) error {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(s.Conversation, &parts); err != nil {
		return err
	}
	memory := cmp.Or(s.SampleID, fmt.Sprint("conversation ", len(l.set.Memories)+1))
	var first string
	_ = json.Unmarshal(parts["speaker_a"], &first) // where there is none, all are users
	for n := 1; n <= len(parts); n++ {
		name := "session_" + strconv.Itoa(n)
		if parts[name] == nil {
			continue
		}
		var turns []locomoTurn
		if err := json.Unmarshal(parts[name], &turns); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		var date string
		_ = json.Unmarshal(parts[name+"_date_time"], &date)
		at := parseTime(date, "3:04 pm on 2 January, 2006")
		for i, turn := range turns {
			m := Message{ID: turn.ID, Thread: name, Role: core.RoleAssistant, Time: at.Add(time.Duration(i) * time.Second), Text: turn.Speaker + ": " + turn.Text}
			if turn.Speaker == first || first == "" {
				m.Role = core.RoleUser
			}
			if turn.Caption != "" {
				m.Text += " (shares " + turn.Caption + ")"
			}
			if err := l.say(memory, m); err != nil {
				return err
			}
		}
	}
	categories := map[int]string{1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
	for i, q := range s.QA {
		asked := Question{ID: fmt.Sprintf("%s/%d", memory, i+1), Memory: memory, Text: q.Question, Category: categories[q.Category]}
		if q.Category != 5 { // those have no answer
			asked.Evidence = locomoID.FindAllString(string(q.Evidence), -1)
		}
		if err := l.ask(asked); err != nil {
			return err
		}
	}
	return nil
}

// longMemEval is a question in the form of LongMemEval, with what it is asked
// of.
type longMemEval struct {
	QuestionID   string              `json:"question_id"`
	QuestionType string              `json:"question_type"`
	Dates        []string            `json:"haystack_dates"`
	Sessions     [][]longMemEvalTurn `json:"haystack_sessions"`
}

type longMemEvalTurn struct {
	Role    core.Role `json:"role"`
	Content string    `json:"content"`
	Answer  bool      `json:"has_answer"`
}

func (l *loader) addLongMemEval(s shape) error {
	if _, known := l.memories[s.QuestionID]; known {
		return fmt.Errorf("the question %q is there twice", s.QuestionID)
	}
	q := Question{ID: s.QuestionID, Memory: s.QuestionID, Category: s.QuestionType, Text: s.Question}
	for i, session := range s.Sessions {
		var date string
		if i < len(s.Dates) {
			date = s.Dates[i]
		}
		at := parseTime(date, "2006/01/02 (Mon) 15:04")
		for j, turn := range session {
			m := Message{
				ID: fmt.Sprintf("%d:%d", i+1, j+1), Thread: strconv.Itoa(i + 1), Role: core.RoleUser,
				Time: at.Add(time.Duration(j) * time.Second), Text: turn.Content,
			}
			if turn.Role == core.RoleAssistant {
				m.Role = core.RoleAssistant
			}
			if err := l.say(q.Memory, m); err != nil {
				return err
			}
			if turn.Answer && !strings.HasSuffix(q.ID, "_abs") { // those have no answer
				q.Evidence = append(q.Evidence, m.ID)
			}
		}
	}
	return l.ask(q)
}

// parseTime reads a time of a data set. Where it cannot, any will do.
func parseTime(text, layout string) time.Time {
	at, err := time.Parse(layout, strings.TrimSpace(text))
	if err != nil {
		return time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return at
}
