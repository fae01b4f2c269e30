package core

// Resource is an MCP resource of an expert, or a template of their addresses. Its texts are
// the expert's.
type Resource struct {
	URI         string `json:"uri"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"`     // MIME, as its owner says
	Template    bool   `json:"template,omitempty"` // URI is one of RFC 6570
}

// PromptSpec is an MCP prompt of an expert. Its texts are the expert's.
type PromptSpec struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Args        []PromptArg `json:"args,omitempty"`
}

// PromptArg is an argument of a prompt.
type PromptArg struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// Usage is how the prompt is typed in the chat.
func (p PromptSpec) Usage(expert string) string {
	line := "/" + expert + ":" + p.Name
	for _, a := range p.Args {
		if a.Required {
			line += " " + a.Name + "=…"
		} else {
			line += " [" + a.Name + "=…]"
		}
	}
	return line
}

// Completing is what the user has typed of an argument of a prompt, or of a variable
// of a template of resources.
type Completing struct {
	Prompt   string            // the prompt's name
	Template string            // or the template
	Arg      string            // the argument, or the variable
	Typed    string            // of its value
	Known    map[string]string // the others that have been typed
}

// Suggestion is what a text that is being typed may go on as.
type Suggestion struct {
	Text   string // what is shown
	Help   string
	Insert string // what takes the place of the text from At on
	At     int    // a place in bytes
	Last   bool   // nothing need follow it: chosen with enter, the text is sent
}
