package core

// Command is something that the user can have done: in the chat as /NAME, at a
// shell as yaap NAME. What is offered, completed and explained is made of it.
type Command struct {
	Name    string   // its words: "chain show"
	Aliases []string // of its first word, in the chat
	Args    string   // what follows, for people: "NAME [INPUT=VALUE...]"
	Does    string
	Flags   []Flag
	Idle    bool // it waits while a turn runs
	Picks   bool // in the chat, with nothing behind it, its argument is chosen from a list
	Prompt  bool // in the chat it is a prompt: what it comes to is an answer
}

// Flag is an option of a [Command]: --NAME VALUE.
type Flag struct {
	Name    string
	Letter  string // -LETTER means the same; empty: none
	Default any    // a string, an int, a bool or a []string, which may be repeated
	Does    string
	Words   bool // in the chat all words that follow are its value
}

// Doc is what a command says, for whoever shows it.
type Doc struct {
	Parts  []Part
	Data   any     // the same for programs; nil: there is nothing but words
	Result *Result // of the run that was asked for; nil: none was
	Thread string  // the conversation to go on in; empty: this one
	Title  string  // of that conversation from now on; empty: that of before
	Model  string  // the model in use from now on; empty: that of before
	Draft  string  // what is put into the input, to be sent or changed; empty: nothing
	Trial  bool    // Thread is begun for Draft alone: who clears that is back in this one
	Send   string  // what is asked in Thread at once; empty: nothing
	Failed bool    // what was looked for is not in order
}

// Part is a part of a [Doc]. What kind it is says which of the fields it has.
type Part struct {
	Kind PartKind
	Text string
	Head []string   // of a table
	Rows [][]string // of a table: cells in plain text
}

// PartKind says how a [Part] is shown.
type PartKind uint8

// The kinds of parts.
const (
	Markdown PartKind = iota
	Block             // text that is shown as it is, line by line
	Fault             // what is wrong, line by line
	Remark            // a line that is no part of what was asked for
	Table             // a row a line
)

// Say is a Doc of one part.
func Say(kind PartKind, text string) Doc { return Doc{Parts: []Part{{Kind: kind, Text: text}}} }

// Remark adds a remark.
func (d *Doc) Remark(text string) { d.Parts = append(d.Parts, Part{Kind: Remark, Text: text}) }
