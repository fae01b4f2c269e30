package offline

import (
	"fmt"
	"regexp"
	"strings"

	"yaap/core"
)

var (
	greeting = regexp.MustCompile(`(?i)^\s*(hello|hi|hey|hiya|howdy|good (morning|afternoon|evening|day)|greetings)( there| all| everyone| everybody| yaap| room)*\s*[,.!]*\s*`)
	parting  = regexp.MustCompile(`(?i)^\s*(bye|goodbye|see you( later)?|good night|cheerio)\s*[.!]*\s*$`)
	thanking = regexp.MustCompile(`(?i)^\s*((ok|okay|great|nice|cool|perfect|good)[,.!]* )?(many thanks|thanks|thank you|thx|ta|cheers)( a lot| so much| very much| again)?\s*[,.!]*\s*`)
	pleased  = regexp.MustCompile(`(?i)^\s*(ok|okay|great|nice|cool|perfect|good|well done|awesome|wonderful|got it|alright|fine|never ?mind|forget (it|that)|no,? thank(s| you))\s*[.!]*\s*$`)
	identity = regexp.MustCompile(`(?i)^\s*(so )?(who|what) (exactly )?(are you|is this|is yaap)\s*[?.!]*\s*$|^\s*(introduce yourself|what('s| is) your name)\s*[?.!]*\s*$|^\s*are you (an? )?(ai|llm|bot|robot|human|model|real person|offline|language model)\s*[?.!]*\s*$`)
	howdoing = regexp.MustCompile(`(?i)^\s*how are (you|things)( doing)?( today)?\s*[?.!]*\s*$`)
	roomlist = regexp.MustCompile(`(?i)^\s*(so )?(help|help me|\?|usage|what can (you|i|we)( all)? (do|ask)( here| for me)?|what do you (do|know)|what (else )?can (be done|i ask)( here)?|(who|which experts|what experts|who else)( all)?( is| are|'s)? (here|in the room|there|available|around|present)( now)?|(list|show)( me)?( all)?( the| your)? (experts|room|tools)|which (experts|tools)( do you have| can i (use|ask))?|what (tools|experts) (do you have|are there)|how (do|can) i use (this|you|yaap)|how does (this|yaap) work|what is there)( please)?\s*[?.!]*\s*$`)
	oneof    = regexp.MustCompile(`(?i)^\s*(?:what (?:can|does) (?:the )?@?([a-z][a-z0-9_-]*)(?: expert)? do|who is @?([a-z][a-z0-9_-]*)|what can i ask (?:the )?@?([a-z][a-z0-9_-]*)|help @?([a-z][a-z0-9_-]*)|what does (?:the )?@?([a-z][a-z0-9_-]*) expert know)\s*[?.!]*\s*$`)
)

// withoutGreeting takes a greeting off a prompt that goes on after it.
func withoutGreeting(prompt string) string {
	for range 3 {
		rest := thanking.ReplaceAllString(greeting.ReplaceAllString(prompt, ""), "")
		if strings.TrimSpace(rest) == "" || rest == prompt || !boundary(prompt, rest) {
			break
		}
		prompt = rest
	}
	return strings.TrimSpace(prompt)
}

// boundary reports whether rest begins a word of prompt.
func boundary(prompt, rest string) bool {
	before := prompt[:len(prompt)-len(rest)]
	return before == "" || strings.ContainsAny(before[len(before)-1:], " ,.!\n")
}

// social answers what is about the room and the talk itself, unless somebody
// has the very words as an example.
func (r *room) social(prompt string) (core.Reply, bool) {
	if len(prompt) > 200 {
		return core.Reply{}, false
	}
	reply, ok := r.smallTalk(prompt)
	if !ok {
		return core.Reply{}, false
	}
	for _, p := range r.profiles {
		for _, e := range p.examples {
			if strings.EqualFold(strings.Trim(e.text, " ?.!"), strings.Trim(prompt, " ?.!")) {
				return core.Reply{}, false
			}
		}
	}
	return reply, true
}

func (r *room) smallTalk(prompt string) (core.Reply, bool) {
	reply := core.Reply{Status: core.StatusSuccess}
	switch rest := strings.TrimSpace(greeting.ReplaceAllString(prompt, "")); {
	case prompt == "":
		return reply, false
	case identity.MatchString(rest):
		reply.Thought = "A question about me; nobody needs to be called."
		reply.Message = "I am the offline model of this room: I know nothing myself, but I find out which expert can answer, ask them, and put the answers together. " + r.sum()
	case roomlist.MatchString(rest):
		reply.Thought = "A question about the room; I answer from what the experts say of themselves."
		reply.Message = r.introduce()
	case howdoing.MatchString(rest):
		reply.Thought = "Small talk; nobody needs to be called."
		reply.Message = "I am only a program, and it runs. " + r.sum()
	case rest == "" && greeting.MatchString(prompt):
		reply.Thought = "A greeting; nobody needs to be called."
		reply.Message = "Hello. " + r.sum()
	case thanking.MatchString(rest) && thanking.ReplaceAllString(rest, "") == "":
		reply.Thought = "Thanks; nobody needs to be called."
		reply.Message = "You are welcome."
	case parting.MatchString(rest):
		reply.Thought = "A goodbye; nobody needs to be called."
		reply.Message = "Goodbye. /quit closes the room."
	case pleased.MatchString(rest):
		reply.Thought = "Nothing is asked; nobody needs to be called."
		reply.Message = "Good. Ask on whenever you like."
	default:
		return r.about(rest)
	}
	return reply, true
}

// about answers a question about one expert by name.
func (r *room) about(prompt string) (core.Reply, bool) {
	m := oneof.FindStringSubmatch(prompt)
	if m == nil {
		return core.Reply{}, false
	}
	who := r.owner(strings.Join(m[1:], ""))
	if who == "" {
		return core.Reply{}, false
	}
	return core.Reply{
		Thought: "A question about " + who + "; I answer from what it says of itself.",
		Status:  core.StatusSuccess,
		Message: r.card(who, 600, true),
	}, true
}

// sum says in a sentence or two how the room is used.
func (r *room) sum() string {
	guests := r.guests()
	if len(guests) == 0 {
		return nobodyHere
	}
	s := fmt.Sprintf("In the room: %s.", and(first(guests, 8)))
	if len(guests) > 8 {
		s = fmt.Sprintf("In the room: %s and %d more.", strings.Join(guests[:8], ", "), len(guests)-8)
	}
	if e := r.exampleOf(guests[0]); e != "" {
		s += fmt.Sprintf(" Just ask, for example %s, or turn to one of them with @%s.", quote(e), guests[0])
	} else {
		s += " Just ask, or turn to one of them with @" + guests[0] + "."
	}
	return s
}

const (
	nobodyHere = "Nobody is in the room yet. Let an expert join with /experts add COMMAND."
	maxGuests  = 12 // listed in one answer
	fewGuests  = 3  // each with an example where nobody can answer
)

// introduce lists who is in the room and what they can do.
func (r *room) introduce() string {
	guests := r.guests()
	if len(guests) == 0 {
		return nobodyHere
	}
	lines := []string{fmt.Sprintf("%s in the room:", plural(len(guests), "expert is", "experts are")), ""}
	lines = append(lines, r.cards(guests, true)...)
	lines = append(lines, "", "Just ask, or turn to one of them with @name. More join with /experts add COMMAND.")
	return strings.Join(lines, "\n")
}

// cards are the guests in a line each; many of them without their examples.
func (r *room) cards(guests []string, examples bool) []string {
	var lines []string
	for _, who := range first(guests, maxGuests) {
		lines = append(lines, "- "+r.card(who, 110, examples))
	}
	if n := len(guests) - maxGuests; n > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more: /experts lists them", n))
	}
	return lines
}

// card is one expert in a line: its name, what it says of itself, and perhaps
// an example.
func (r *room) card(who string, length int, example bool) string {
	description := ""
	for _, p := range r.profiles {
		if p.owner == who && p.spec.Description != "" {
			description = oneLine(p.spec.Description)
			break
		}
	}
	if length < 200 {
		description = gist(description, length)
	}
	line := "**" + who + "**"
	if d := strings.TrimRight(short(description, length), " .;:,"); d != "" {
		line += ": " + d
	}
	if e := r.exampleOf(who); example && e != "" {
		line += ". Try “" + short(oneLine(e), 80) + "”"
	}
	return line
}

// gist is the first sentence of a description, or what of it fits into length
// without being cut off in mid-phrase.
func gist(description string, length int) string {
	s := description[:sentenceEnd(description)]
	if len(s) <= length {
		return s
	}
	for _, mark := range [...]string{": ", ", ", " ("} {
		if i := strings.LastIndex(clip(s, length), mark); i > length/6 {
			return s[:i]
		}
	}
	return s
}

func (r *room) exampleOf(who string) string {
	for _, p := range r.profiles {
		if p.owner == who && len(p.spec.Examples) > 0 {
			return p.spec.Examples[0]
		}
	}
	return ""
}

// guests lists the experts in the room, each once, in the room's order.
func (r *room) guests() []string {
	var guests []string
	for _, p := range r.profiles {
		if p.spec.Owner != "" { // a tool of the room itself is nobody
			guests = appendNew(guests, p.owner)
		}
	}
	return guests
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func first(list []string, n int) []string { return list[:min(len(list), n)] }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
