package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is what a word can be in an instruction to a model, in English, German,
// French and Spanish. A word may be several.
type class uint64

const (
	cDrop       class = 1 << iota // ignore
	cBypass                       // override
	cAll                          // all
	cYour                         // your
	cPrior                        // previous
	cFill                         // the, of, please
	cRules                        // rules, which need not be a model's
	cOrders                       // instructions
	cPrompt                       // prompt
	cSystem                       // system
	cWhole                        // full, exact, hidden
	cPlace                        // in, of: what is meant is said next
	cReveal                       // reveal
	cShow                         // show, which needs not be a leak
	cYou                          // you
	cAre                          // are
	cYouAre                       // you're
	cNow                          // now
	cArticle                      // a
	cRole                         // assistant
	cTo                           // to, must, should: with you before it, an order
	cOther                        // we, they, not: what follows is no order
	cNot                          // not, don't
	cTell                         // tell
	cNotify                       // notify, which is a matter of design too
	cMention                      // mention
	cUser                         // user
	cAbout                        // about, this
	cNothing                      // nichts: the end of a sentence that begins with tell
	cCall                         // call
	cTool                         // tool
	cWith                         // with
	cHide                         // hide
	cMe                           // me
	cNe                           // ne
	cCite                         // like, phrase: what is quoted next is only mentioned
	cKnow                         // know, told
	cEverything                   // everything
	cFrom                         // from
	cSoft                         // now, please: before an order
)

// word is a piece of a text that letters are in.
type word struct {
	start, end int
	class      class
	first      bool // a sentence begins with it
	quoted     bool // a quote is before it
}

func (w word) is(c class) bool { return w.class&c != 0 }

const longestWord = 64

// wordAt reads the word at s[i:]. Letters that are not seen do not split it.
func wordAt(s string, i int) word {
	var buf [28]byte
	b := buf[:0]
	w := word{start: i}
	for w.end = i; i < len(s) && i-w.start < longestWord; {
		c := s[i]
		switch {
		case isAlnum(c) || c == '_':
			if c-'A' < 26 {
				c |= 0x20
			}
			b = appendSome(b, c)
			i++
			w.end = i
		case (c == '-' || c == '\'') && i > w.start && i+1 < len(s) && isWordByte(s[i+1]) && isWordByte(s[i-1]):
			b = appendSome(b, c)
			i++
		case c < utf8.RuneSelf:
			w.class = classOf(b)
			return w
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == '’' && i > w.start && i+n < len(s) && isWordByte(s[i+n]):
				b = appendSome(b, '\'')
			case unicode.IsLetter(r) || unicode.IsMark(r):
				var enc [utf8.UTFMax]byte
				b = appendSome(b, enc[:utf8.EncodeRune(enc[:], unicode.ToLower(r))]...)
				w.end = i + n
			case !isZeroWidth(r):
				w.class = classOf(b)
				return w
			}
			i += n
		}
	}
	w.class = classOf(b)
	return w
}

// appendSome appends as much as there is room for and one that spoils it.
func appendSome(b []byte, c ...byte) []byte {
	if len(b)+len(c) > cap(b) {
		return b[:cap(b)]
	}
	return append(b, c...)
}

// after reads the word after w, if it is in the same sentence.
func after(s string, w word) (word, bool) {
	i, newline := w.end, false
	for ; i < len(s) && i < w.end+24; i++ {
		switch c := s[i]; {
		case c == '\n':
			if newline {
				return word{}, false
			}
			newline = true
		case strings.IndexByte(".!?;:[]{}=|<>", c) >= 0:
			return word{}, false
		case isAlnum(c) || c == '_':
			return wordAt(s, i), true
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			if unicode.IsLetter(r) {
				return wordAt(s, i), true
			}
			i += n - 1
		}
	}
	return word{}, false
}

// classOf knows the word, which is in lower case.
func classOf(b []byte) class {
	switch string(b) {
	case "ignore", "disregard", "forget", "neglect", "ignoriere", "ignoriert", "ignorieren", "ignorier", "vergiss", "vergesst", "vergessen",
		"missachte", "missachten", "ignorez", "oublie", "oubliez", "ignora", "ignorad", "ignoren", "olvida", "olvide", "olviden", "olvídate", "descarta":
		return cDrop
	case "override", "bypass", "circumvent", "überschreibe", "umgehe", "contourne", "contournez", "elude":
		return cBypass
	case "all", "any", "every", "alle", "sämtliche", "jegliche", "toutes", "todas", "todos":
		return cAll | cWhole
	case "everything", "alles", "tout", "todo":
		return cEverything
	case "your", "deine", "deinen", "dein", "ihre", "ihren", "eure", "tes", "ton", "vos", "votre", "tus", "sus":
		return cYour
	case "tu":
		return cYour | cYou
	case "previous", "prior", "above", "earlier", "preceding", "foregoing", "former", "previously", "vorherigen", "vorherige", "bisherigen", "bisherige",
		"vorigen", "vorangegangenen", "früheren", "obigen", "vorhergehenden", "précédentes", "précédents", "antérieures", "ci-dessus", "anteriores", "previas", "precedentes":
		return cPrior | cWhole
	case "these", "those", "given", "other", "and", "or", "bitte", "les", "ces", "des", "las", "los", "und", "et", "y", "such":
		return cFill
	case "die", "der", "das":
		return cFill | cArticle
	case "the", "la", "le":
		return cFill | cArticle
	case "of", "de", "del":
		return cFill | cPlace
	case "in", "on", "for", "im", "aus", "dans", "en", "within", "inside", "für":
		return cPlace
	case "from", "von":
		return cPlace | cFrom
	case "rules", "rule", "restrictions", "constraints", "commands", "orders", "regeln", "befehle", "vorgaben", "règles", "reglas", "órdenes", "filters":
		return cRules
	case "instructions", "instruction", "directives", "guidelines", "directions", "programming", "training", "anweisungen", "anweisung", "instruktionen",
		"richtlinien", "systemanweisungen", "consignes", "instrucciones", "indicaciones", "directrices":
		return cOrders
	case "prompt", "prompts":
		return cPrompt
	case "system-prompt", "systemprompt", "system_prompt":
		return cPrompt | cSystem
	case "system", "système", "sistema", "developer", "safety":
		return cSystem | cFill
	case "full", "entire", "exact", "hidden", "secret", "initial", "original", "contents", "complete", "internal", "confidential", "ganzen", "vollständigen", "genauen", "geheimen", "complet", "exactes", "completo":
		return cWhole
	}
	if c := classOfSpeech(b); c != 0 {
		return c
	}
	return classOfPerson(b)
}

func classOfSpeech(b []byte) class {
	switch string(b) {
	case "reveal", "leak", "disclose", "repeat", "output", "recite", "verrate", "verraten", "wiederhole", "wiederholen", "révèle", "révélez", "révèle-moi", "répète", "divulgue", "revela", "revélame", "repite":
		return cReveal
	case "show", "print", "display", "give", "send", "write", "share", "dump", "zeige", "zeig", "gib", "nenne", "affiche", "affiche-moi", "montre", "montre-moi", "donne", "donne-moi",
		"muestra", "muéstrame", "imprime", "dime":
		return cShow
	case "tell":
		return cTell | cShow
	case "inform", "sag", "sage", "sagen", "erzähle", "erzähl", "erzählen", "informiere", "informieren", "dis", "dites", "informe", "informez", "digas", "diga", "informes", "reveles":
		return cTell
	case "notify", "alert", "warn", "benachrichtige":
		return cNotify
	case "mention", "menciones", "erwähne":
		return cMention
	case "not", "don't", "dont", "never", "no":
		return cNot | cOther
	case "ne", "n'informe", "n'informez":
		return cNe | cTell
	case "nichts", "nicht":
		return cNothing | cNot
	case "user", "human", "benutzer", "nutzer", "anwender", "l'utilisateur", "utilisateur", "usuario":
		return cUser
	case "about", "this", "that", "what", "anything", "davon", "darüber", "esto":
		return cAbout | cFill
	case "it":
		return cAbout | cFill | cOther
	case "call", "invoke", "execute", "rufe", "appelle", "appelez", "llama", "llame", "invoque", "invoca":
		return cCall
	case "tool", "function", "werkzeug", "l'outil", "outil", "herramienta", "funktion":
		return cTool
	case "with", "mit", "avec", "con":
		return cWith
	case "hide", "keep", "conceal":
		return cHide
	case "know", "known", "told", "learned", "learnt", "were", "been", "have", "weißt", "savez", "sais", "sabes":
		return cKnow
	case "like", "as", "phrase", "phrases", "string", "strings", "contains", "containing", "wording", "pattern", "patterns", "matches", "match", "detects", "catches", "e.g", "called", "say":
		return cCite
	}
	return 0
}

func classOfPerson(b []byte) class {
	switch string(b) {
	case "you", "vous", "sie", "du":
		return cYou | cFill
	case "are", "bist", "sind", "es", "êtes", "eres":
		return cAre
	case "you're", "you've":
		return cYouAre | cYou
	case "now", "jetzt", "nun", "fortan", "maintenant", "désormais", "ahora":
		return cNow | cSoft
	case "a", "an", "ein", "eine", "un", "una", "une":
		return cArticle
	case "ai", "assistant", "bot", "chatbot", "llm", "dan", "hacker", "unrestricted", "unfiltered", "uncensored", "jailbroken", "ki", "assistent", "assistentin", "ia", "asistente":
		return cRole
	case "me", "us", "mir", "uns", "moi", "nous", "back", "out":
		return cMe | cFill
	case "to", "must", "should", "will", "shall", "need", "required", "zu":
		return cTo
	case "please", "immediately", "then", "instead", "so", "first", "also", "but", "just", "simply", "bitte":
		return cSoft | cFill
	case "we", "i", "they", "he", "she", "would", "could", "can", "might", "may", "does", "doesn't", "did", "didn't", "cannot", "can't", "won't", "users", "attackers",
		"models", "which", "who", "wir", "ich", "à", "para", "pour", "je", "ils":
		return cOther
	}
	return 0
}
