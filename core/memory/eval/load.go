package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxBytes  = 1 << 30 // of a file
	maxThings = 2 << 20 // messages and questions in it
)

// Set is what is asked, and of what.
type Set struct {
	Form      string // yaap, locomo or longmemeval
	SHA256    string // of the file
	Memories  []Memory
	Questions []Question
	Skipped   int // questions that nothing in the data answers
}

// Memory is what may be searched for an answer.
type Memory struct {
	ID       string
	Messages []Message
}

// Message is something that was said.
type Message struct {
	ID     string // of this memory's
	Thread string
	Role   core.Role
	Time   time.Time
	Text   string
}

// Question is asked of one memory, and answered by some of its messages.
type Question struct {
	ID, Memory, Category, Text string
	Evidence                   []string // ids of messages
}

// Builtin returns our own set: what developers ask of the memory of their
// chats.
func Builtin() (Set, error) { return Load(bytes.NewReader(chat)) }

// Load reads a set in one of three forms, which it tells by their shape: ours
// (one object per line: {"entry", "conversation", "role", "at", "text"} or
// {"question", "category", "text", "evidence"}), that of LoCoMo and that of
// LongMemEval. Questions without evidence, those that cannot be answered
// included, are skipped and counted.
func Load(r io.Reader) (Set, error) {
	limited := &io.LimitedReader{R: r, N: maxBytes + 1}
	hash := sha256.New()
	in := bufio.NewReader(io.TeeReader(limited, hash))
	l := &loader{memories: map[string]int{}, messages: map[string]bool{}}
	err := l.read(in)
	if err == nil {
		_, err = io.Copy(io.Discard, in) // for the hash
	}
	switch {
	case limited.N <= 0:
		return Set{}, bad("it is larger than 1 GiB", nil)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Set{}, bad("it ends in the middle", err)
	case err != nil:
		return Set{}, bad(err.Error(), err)
	case l.set.Form == "", len(l.set.Memories) == 0:
		return Set{}, bad("there is nothing in it", nil)
	}
	l.set.SHA256 = hex.EncodeToString(hash.Sum(nil))
	l.check()
	if len(l.set.Questions) == 0 {
		return Set{}, bad("it has no question with evidence", nil)
	}
	return l.set, nil
}

func bad(why string, err error) error {
	var known *core.Error
	if errors.As(err, &known) {
		return err
	}
	return core.Fail(core.CodeInvalid, "these data cannot be used: "+why,
		"give a file in the form of LoCoMo (locomo10.json), of LongMemEval (longmemeval_s.json), or of core/memory/eval/testdata/chat.jsonl").Because(err)
}

// loader collects a set.
type loader struct {
	set      Set
	memories map[string]int  // where they are in the set
	messages map[string]bool // by memory and id
	things   int
}

func (l *loader) read(in *bufio.Reader) error {
	first, err := firstByte(in)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(in)
	if first == '[' {
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
	for n := 1; dec.More(); n++ {
		var s shape
		if err := dec.Decode(&s); err != nil {
			return fmt.Errorf("part %d: %w", n, err)
		}
		if err := l.take(s, first == '['); err != nil {
			return fmt.Errorf("part %d: %w", n, err)
		}
	}
	if first == '[' {
		_, err = dec.Token()
	}
	return err
}

func firstByte(in *bufio.Reader) (byte, error) {
	for {
		b, err := in.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errors.New("it is empty")
		}
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \t\r\n", b) < 0 {
			return b, in.UnreadByte()
		}
	}
}

// shape is an object of any of the forms.
type shape struct {
	ownLine
	locomo
	longMemEval
	// These are of several forms.
	Question     string          `json:"question"`
	Conversation json.RawMessage `json:"conversation"`
}

// take adds an object, of a list or of a line of its own.
func (l *loader) take(s shape, listed bool) error {
	var form string
	var add func(shape) error
	switch {
	case listed && s.QA != nil && s.Conversation != nil:
		form, add = "locomo", l.addLocomo
	case listed && s.QuestionID != "" && s.Sessions != nil:
		form, add = "longmemeval", l.addLongMemEval
	case !listed && (s.Entry != "" || s.Question != ""):
		form, add = "yaap", l.addOwn
	default:
		return errors.New("this form is not known")
	}
	if l.set.Form != "" && l.set.Form != form {
		return fmt.Errorf("this is of the form of %s, what comes before it of %s", form, l.set.Form)
	}
	l.set.Form = form
	return add(s)
}

func (l *loader) memory(id string) *Memory {
	i, known := l.memories[id]
	if !known {
		i = len(l.set.Memories)
		l.memories[id] = i
		l.set.Memories = append(l.set.Memories, Memory{ID: id})
	}
	return &l.set.Memories[i]
}

func (l *loader) say(memory string, m Message) error {
	key := memory + "\x00" + m.ID
	if l.messages[key] {
		return fmt.Errorf("the message %q is there twice", m.ID)
	}
	l.messages[key] = true
	mem := l.memory(memory)
	mem.Messages = append(mem.Messages, m)
	return l.count()
}

func (l *loader) ask(q Question) error {
	l.set.Questions = append(l.set.Questions, q)
	return l.count()
}

func (l *loader) count() error {
	if l.things++; l.things > maxThings {
		return fmt.Errorf("there are more than %d messages and questions", maxThings)
	}
	return nil
}

// check leaves out the questions that nothing answers.
func (l *loader) check() {
	asked := l.set.Questions[:0]
	for _, q := range l.set.Questions {
		evidence := q.Evidence[:0]
		seen := map[string]bool{}
		for _, id := range q.Evidence {
			if l.messages[q.Memory+"\x00"+id] && !seen[id] {
				evidence = append(evidence, id)
			}
			seen[id] = true
		}
		q.Evidence = evidence
		if len(evidence) == 0 || strings.TrimSpace(q.Text) == "" {
			l.set.Skipped++
			continue
		}
		asked = append(asked, q)
	}
	l.set.Questions = asked
}
