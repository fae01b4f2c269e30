package core

import "time"

// Vault holds memories. Titles of vaults and memories have 1 to 50 characters
// of A-Z, a-z, 0-9 and the hyphen, and are unique within their parent.
type Vault struct {
	ID      string    `json:"vault_id"`
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
}

// Memory is what is remembered about one thing: a working directory, a project.
type Memory struct {
	ID      string    `json:"memory_id"`
	Vault   string    `json:"vault_id"`
	Title   string    `json:"title"`
	Kind    string    `json:"kind"` // chat
	Created time.Time `json:"created"`
}

// Entry is one message as it is remembered. Entries never change: a correction
// is another entry, and what [Tag] and [Expiry] say about an entry is kept beside
// it and told with it. Raw is the message byte for byte.
type Entry struct {
	ID       string            `json:"entry_id"` // made by the caller: adding one again changes nothing
	Memory   string            `json:"memory_id"`
	Seq      int64             `json:"seq"` // its place in the database; set by the journal
	Thread   string            `json:"thread,omitempty"`
	Message  string            `json:"message,omitempty"` // the id of the message that it was made of
	Part     int               `json:"part,omitempty"`    // from 1, where a long message became several entries
	Role     Role              `json:"role"`
	Raw      string            `json:"raw_entry"`
	Summary  string            `json:"summary"`
	Tags     map[string]string `json:"tags,omitempty"`
	Corrects string            `json:"corrects,omitempty"` // the id of the entry that it corrects
	Reason   string            `json:"reason,omitempty"`   // of the correction
	Expires  time.Time         `json:"expiration_time,omitzero"`
	Created  time.Time         `json:"created"`
	EntryState
}

// TagStatus is the tag of what was no answer, or only repeated what is remembered.
const TagStatus = "status"

// EntryState says whether an entry was corrected or redacted; set by the journal.
type EntryState struct {
	Corrected string    `json:"corrected_by,omitempty"` // the id of the last entry that corrects it
	Redacted  time.Time `json:"redacted,omitzero"`      // its words were removed
	Answered  bool      `json:"-"`                      // a tool answered what the user said
}

// Tag sets a tag of an entry, or removes it when the value is empty. The last one
// by its time counts.
type Tag struct {
	Entry string    `json:"entry_id"`
	Key   string    `json:"key"`
	Value string    `json:"value"`
	Time  time.Time `json:"time"`
}

// Expiry says when the time of an entry, of what it corrects and of what
// corrects it is over; never when At is zero. The last one by its time counts.
type Expiry struct {
	Entry string    `json:"entry_id"`
	At    time.Time `json:"expiration_time,omitzero"`
	Time  time.Time `json:"time"`
}

// ContextDoc is what a memory comes to, as one text. Versions are appended.
type ContextDoc struct {
	ID      string    `json:"context_id"`
	Memory  string    `json:"memory_id"`
	Seq     int64     `json:"seq"`     // set by the journal
	Upto    int64     `json:"upto"`    // the last entry that it knows
	Content string    `json:"content"` // at most 5000 characters
	Created time.Time `json:"created"`
}

// Recording says that the messages of a conversation are remembered in a
// memory.
type Recording struct {
	Thread string
	Memory string
	Time   time.Time
}

// Found is an entry that a search found, with why.
type Found struct {
	Entry Entry              `json:"entry"`
	Score float64            `json:"score"` // the higher the better
	Parts map[string]float64 `json:"parts"` // what the score is made of: bm25, near, speaker, date, question, status; vector; corrects
	Match string             `json:"match"` // the words around the hit, hits between \x02 and \x03; of a correction maybe those of what it corrects
}

func (Vault) row()      {}
func (Memory) row()     {}
func (Entry) row()      {}
func (Tag) row()        {}
func (Expiry) row()     {}
func (ContextDoc) row() {}
func (Recording) row()  {}

// EntryQuery chooses entries of a memory, the newest first.
type EntryQuery struct {
	Limit          int   // 1 to 50; 0: 10
	Before, After  int64 // places, exclusive; 0: no bound
	Thread         string
	IncludeExpired bool
}

// SearchFilters says how a search is narrowed in its text.
const SearchFilters = "from:ada (or me, you), role:user, before:2026-03-01, after:march, tag:KEY, tag:VALUE or tag:KEY=VALUE narrow it; what stands between quotes is no filter"

// SearchQuery asks for entries by words.
type SearchQuery struct {
	Text     string    // with [SearchFilters]
	Memories []string  // ids; none: all
	Limit    int       // 0: 10
	Meaning  Embedding // of Text; without a vector only its words count
}

// MentionQuery asks for what the user said that holds words of a memory's.
type MentionQuery struct {
	Memory string
	Words  [][]string // each with how else it is written; boil* stands for all that begin so
	Limit  int        // 1 to 50; 0: 10
}

// Mentions are entries of the user, the newest first. What was forgotten, or has
// expired, is not among them; what was corrected is there as it was corrected.
type Mentions struct {
	Entries []Entry
	Counts  []int // for each word, the entries of anybody that hold it; 200: or more
	All     int   // the entries of the memory, about
}

// Embedding is what a text means to a model, as a vector of length 1.
type Embedding struct {
	Seq    int64 // the place of the entry; 0: of a question
	Model  string
	Vector []float32
}

// ForgetQuery says what is to be forgotten: one entry, or a conversation.
type ForgetQuery struct {
	Entry  string
	Thread string
}

// Forgotten is how much was forgotten.
type Forgotten struct {
	Entries  int `json:"entries"` // whose words were taken away: their places stay
	Messages int `json:"messages"`
	Contexts int `json:"contexts"` // versions that may have known the entries
}

// MemoryStats is what there is in a memory.
type MemoryStats struct {
	Vault       string    `json:"vault"` // title
	Memory      string    `json:"memory"`
	ID          string    `json:"memory_id"`
	Entries     int       `json:"entries"` // those without words and those that have expired included
	Corrections int       `json:"corrections"`
	Redacted    int       `json:"redacted"`
	Expired     int       `json:"expired"` // not purged yet
	Waiting     int       `json:"waiting"` // messages without an entry
	Contexts    int       `json:"contexts"`
	Tags        int       `json:"tags"` // different names
	First       time.Time `json:"first,omitzero"`
	Last        time.Time `json:"last,omitzero"`
}

// Unrecorded is a message that has no entry yet.
type Unrecorded struct {
	Thread   string
	Message  Message
	Answered bool // a tool answered it
}
