package git

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// view is one question about the history and what bounds it.
type view struct {
	repo
	prompt string

	n            int       // how many commits, 0 when not said
	author       string    // part of a name
	text         string    // what was quoted, or is searched for in messages
	unknown      string    // a word that is neither of these
	paths        []string  // tracked, relative to dir
	at           string    // one revision
	from, to     string    // two revisions
	names        [2]string // of from and to, or of at, as they were written
	since, until time.Time
	when         string // the period in words
}

var (
	polite     = regexp.MustCompile(`(?i)^(?:(?:please|hey|hi|hello|ok|okay|so|and|now|then|also|just|next|finally)\b[,:\s]*|(?:can|could|would|will) (?:you|i|we) (?:please )?|i(?:'d| would)? (?:like|want|need) (?:you )?(?:to )?|let me |let's |tell me |do you know )+`)
	revision   = regexp.MustCompile(`^[A-Za-z0-9_@][\w./~^@{}+-]{0,200}$`)
	bareRev    = regexp.MustCompile(`(?i)^(?:[0-9a-f]{7,40}|HEAD[~^\d]*)$`)
	oneCommit  = regexp.MustCompile(`(?i)\b(?:commit|HEAD|[0-9a-f]{7,40}|last one|latest one)\b`)
	askCommits = regexp.MustCompile(`(?i)\bcommits?\b`)
	sinceWord  = regexp.MustCompile(`(?i)\b(?:since|after|between|from)\b`)

	between = regexp.MustCompile(`(?i)\b(?:between|from|compare|diff|of)\s+(?:the )?(?:branch(?:es)? |tags? |commits? |versions? )?(\S+)\s+(?:and|to|with|against|until|vs\.?|versus)\s+(?:the )?(?:branch |tag |commit |version )?(\S+)`)
	dots    = regexp.MustCompile(`([\w./~^@{}+-]*[\w}^~])\.\.\.?([\w@][\w./~^@{}+-]*)`)
	after   = regexp.MustCompile(`(?i)\bsince\s+(?:the )?(?:branch |tag |commit |version |release )?(\S+)`)
	lastTag = regexp.MustCompile(`(?i)\bsince (?:the )?(?:last|latest|previous|most recent) (?:tag|release|version)\b`)
	before1 = regexp.MustCompile(`(?i)\b(?:previous|second(?: to)? last|last but one|penultimate|one before(?: the)? last) commit\b`)
	lastN   = regexp.MustCompile(`(?i)\b(?:last|latest|past|recent|newest|top|first|previous|show|list|-n|log)\s+(?:-n\s*|-)?(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten|few|couple(?: of)?)\b(?: (?:\w+ )?(?:commits?|changes|entries))?|\b(\d{1,6}|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){0,2}commits?\b|\s-n?\s*(\d{1,6})\b`)
	lastOne = regexp.MustCompile(`(?i)\b(?:the )?(?:last|latest|newest|most recent|current|tip) (?:\w+ )?commit\b|\b(?:last|latest) (?:change|thing|work)\b`)
	byName  = regexp.MustCompile(`(?i)\b(?:by|author(?:ed by)?:?|from)\s+((?-i:["'A-Z][\w.'’-]*|\S+@\S+|me\b|[a-z][\w-]*)(?:\s+(?-i:[A-Z][\w.'’-]*))*)`)
	mine    = regexp.MustCompile(`(?i)\b(?:by me|(?:did|have) I (?:just )?(?:do|make|made|change|changed|commit|committed|write|written|work|worked|edit|edited|add|added|remove|removed|push|pushed|done)|I (?:did|made|committed|changed|wrote|worked)|my (?:own )?(?:\w+ )?(?:commits?|changes|work))\b`)
	about   = regexp.MustCompile(`(?i)\b(?:mention(?:s|ing)?|containing|about|matching|with (?:the )?(?:word|message|text|subject)|that say|saying|regarding|message contains|grep)\s+(?:the )?(?:word )?("[^"]+"|'[^']+'|[^\s"']\S*)`)
	inQuote = regexp.MustCompile(`"([^"]+)"|'([^']+)'|` + "`([^`]+)`")
	token   = regexp.MustCompile(`"[^"]*"|'[^']*'|` + "`[^`]*`" + `|[^\s,]+`)
)

func clean(prompt string) string {
	s := strings.ToValidUTF8(prompt, "")
	if len(s) > maxPrompt {
		s = strings.ToValidUTF8(s[:maxPrompt], "")
	}
	s = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "\x00", "").Replace(s)
	s = polite.ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
	s = strings.TrimRight(s, "?!. ")
	return strings.TrimSuffix(strings.TrimSuffix(s, " please"), ",")
}

// read takes revisions, dates, author, count, text and paths out of the
// prompt. What stands for something is taken once, in this order.
func (v *view) read(ctx context.Context) error {
	rest := v.prompt
	take := func(m []string) { rest = strings.Replace(rest, m[0], " ", 1) }

	if m := inQuote.FindStringSubmatch(rest); m != nil && !strings.ContainsAny(m[0], "/") {
		v.text = m[1] + m[2] + m[3]
		if tracked, err := v.tracked(ctx, v.text); err != nil || len(tracked) > 0 {
			v.text = ""
			v.paths = tracked
		}
		take(m)
	}
	for _, re := range []*regexp.Regexp{dots, between} {
		if m := re.FindStringSubmatch(rest); m != nil && v.from == "" {
			from, to := v.commit(ctx, m[1]), v.commit(ctx, m[2])
			if from != "" && to != "" {
				v.from, v.to, v.names = from, to, [2]string{m[1], m[2]}
				take(m)
			} else if re == dots {
				return noCommit(m[1], m[2])
			} else if _, _, ok := dates(m[0], time.Now()); !ok && strings.Contains(strings.ToLower(m[0]), "between") {
				return noCommit(m[1], m[2])
			}
		}
	}
	if m := lastTag.FindStringSubmatch(rest); m != nil {
		tag, err := v.run(ctx, "describe", "--tags", "--abbrev=0")
		if err != nil {
			return noTag()
		}
		tag = strings.TrimSpace(tag)
		v.from, v.to, v.names = v.commit(ctx, tag), v.commit(ctx, "HEAD"), [2]string{tag, "HEAD"}
		take(m)
	}
	if since, until, ok := dates(rest, time.Now()); ok {
		v.since, v.until, v.when = since.time, until.time, since.words
		rest = strings.Replace(rest, since.words, " ", 1)
	} else if m := after.FindStringSubmatch(rest); m != nil && v.from == "" {
		from := v.commit(ctx, m[1])
		if from == "" {
			return noCommit(m[1])
		}
		v.from, v.to, v.names = from, v.commit(ctx, "HEAD"), [2]string{m[1], "HEAD"}
		take(m)
	}
	if m := before1.FindStringSubmatch(rest); m != nil {
		v.at, v.names = v.commit(ctx, "HEAD~1"), [2]string{"HEAD~1"}
		take(m)
	} else if m := lastOne.FindStringSubmatch(rest); m != nil {
		v.n = 1
		take(m)
	} else if m := lastN.FindStringSubmatch(rest); m != nil && !askLine.MatchString(m[0]) {
		v.n = number(m[1] + m[2] + m[3])
		take(m)
	}
	rest = v.readAuthor(ctx, rest)
	if m := about.FindStringSubmatch(rest); m != nil && v.text == "" {
		if tracked, err := v.tracked(ctx, unquote(m[1])); err == nil && len(tracked) == 0 && v.commit(ctx, m[1]) == "" {
			v.text = unquote(m[1])
			take(m)
		}
	}
	return v.readNames(ctx, rest)
}

// readAuthor takes out the author: whoever the history knows by a name in the
// prompt, or else the name that follows "by".
func (v *view) readAuthor(ctx context.Context, rest string) string {
	if m := mine.FindString(rest); m != "" {
		if name, err := v.run(ctx, "config", "user.name"); err == nil && strings.TrimSpace(name) != "" {
			v.author = strings.TrimSpace(name)
			return strings.Replace(rest, m, " ", 1)
		}
	}
	out, err := v.run(ctx, "log", "-z", "-n", "20000", "--format=%aN", "--all")
	if err != nil {
		return rest // no commits yet
	}
	known := strings.Split(out, "\x00")
	slices.Sort(known)
	for _, full := range slices.Compact(known) {
		for _, name := range append([]string{full}, strings.Fields(full)...) {
			if len(name) < 2 || slices.Contains(stopWords(), strings.ToLower(name)) {
				continue
			}
			re, err := regexp.Compile(`(?i)(?:\b(?:by|author|from)\s+)?(?:^|[\s"'@])(` + regexp.QuoteMeta(name) + `)(?:'s|’s)?(?:$|[\s"',.?!])`)
			if err != nil {
				continue
			}
			if m := re.FindStringSubmatchIndex(rest); m != nil && v.commit(ctx, rest[m[2]:m[3]]) == "" {
				v.author = name
				return rest[:m[0]] + " " + rest[m[3]:]
			}
		}
	}
	m := byName.FindStringSubmatch(rest)
	if m == nil {
		return rest
	}
	name := unquote(m[1])
	if slices.Contains(stopWords(), strings.ToLower(name)) || v.commit(ctx, name) != "" {
		return rest
	}
	if tracked, err := v.tracked(ctx, name); err != nil || len(tracked) > 0 {
		return rest
	}
	v.author = name
	return strings.Replace(rest, m[0], " ", 1)
}

// readNames looks at the words that are left for revisions and paths.
func (v *view) readNames(ctx context.Context, rest string) error {
	words := token.FindAllString(rest, 100)
	for i, w := range words {
		w = unquote(strings.TrimRight(w, ":;"))
		if j := strings.LastIndexByte(w, ':'); j > 0 && number(w[j+1:]) > 0 {
			w = w[:j]
		}
		low := strings.ToLower(w)
		if w == "" || slices.Contains(stopWords(), low) {
			continue
		}
		pathish := strings.ContainsAny(w, "./")
		if v.from == "" && (!pathish || revish.MatchString(w)) {
			if hash := v.commit(ctx, w); hash != "" && v.at == "" {
				v.at, v.names = hash, [2]string{w}
				continue
			} else if hash != "" {
				v.from, v.to, v.names, v.at = v.at, hash, [2]string{v.names[0], w}, ""
				if backwards.MatchString(rest) {
					v.from, v.to, v.names = v.to, v.from, [2]string{v.names[1], v.names[0]}
				}
				continue
			}
			prev := ""
			if i > 0 {
				prev = strings.ToLower(words[i-1])
			}
			if hexes.MatchString(w) && len(w) >= 7 || prev == "commit" && !slices.Contains([]string{"that", "which", "where"}, low) && revision.MatchString(w) && hexes.MatchString(w) || strings.HasPrefix(w, "HEAD") {
				return noCommit(w)
			}
		}
		tracked, err := v.tracked(ctx, w)
		if err != nil {
			return err
		}
		if len(tracked) == 0 && pathish && pathName.MatchString(w) {
			tracked = []string{path.Clean(w)} // deleted, or never there: git will know
		}
		if len(tracked) == 0 && len(w) > 2 {
			v.unknown = w
		}
		v.paths = append(v.paths, tracked...)
	}
	return nil
}

var (
	backwards = regexp.MustCompile(`(?i)\b(?:compared|relative|against|versus|vs|than|not in|ahead|missing)\b`)
	revish    = regexp.MustCompile(`^(?:v\d[\w.-]*|HEAD\S*|(?:origin|upstream|feature|fix|bugfix|hotfix|release|feat)/\S+|\d+\.\d[\w.-]*)$`)
	hexes     = regexp.MustCompile(`^[0-9a-fA-F]{4,40}$`)
	pathName  = regexp.MustCompile(`^[\w@+][\w./@+-]*\.\w{1,10}$|^[\w@.+-]+/[\w./@+-]*$`)
)

// tracked returns the path that name stands for among the tracked files: a
// file, a folder, or the one file with that end of its path or that stem.
func (v *view) tracked(ctx context.Context, name string) ([]string, error) {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/"), "./")
	if name == "" || strings.HasPrefix(name, "-") {
		return nil, nil
	}
	out, err := v.run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	low := strings.ToLower(name)
	var ends, stems []string
	for _, p := range strings.Split(out, "\x00") {
		l := strings.ToLower(p)
		switch base := path.Base(l); {
		case p == name, strings.HasPrefix(p, name+"/"):
			return []string{name}, nil
		case l == low, strings.HasSuffix(l, "/"+low):
			ends = append(ends, p)
		case strings.Contains("/"+l, "/"+low+"/"):
			at := strings.Index("/"+l, "/"+low+"/")
			ends = append(ends, p[:at+len(low)])
		case strings.TrimSuffix(base, path.Ext(base)) == low && len(low) > 2 && p == path.Base(p):
			stems = append(stems, p)
		}
	}
	if ends = slices.Compact(ends); len(ends) > 0 {
		return ends[:min(len(ends), 20)], nil
	}
	return stems[:min(len(stems), 1)], nil
}

// limits says in words what bounds the view, for the thought.
func (v *view) limits() string {
	var b strings.Builder
	if v.author != "" {
		fmt.Fprintf(&b, ", by %s", v.author)
	}
	if v.when != "" {
		fmt.Fprintf(&b, ", %s", v.when)
	}
	if v.from != "" {
		fmt.Fprintf(&b, ", from %s to %s", v.names[0], v.names[1])
	}
	if v.at != "" {
		fmt.Fprintf(&b, ", at %s", v.names[0])
	}
	if len(v.paths) > 0 {
		fmt.Fprintf(&b, ", in %s", strings.Join(v.paths, " and "))
	}
	if v.text != "" {
		fmt.Fprintf(&b, ", with “%s”", v.text)
	}
	return b.String()
}

func number(s string) int {
	words := []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if i := slices.Index(words, strings.ToLower(s)); i > 0 {
		return i
	}
	switch low := strings.ToLower(s); {
	case low == "few":
		return 5
	case strings.HasPrefix(low, "couple"):
		return 2
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func unquote(s string) string {
	if len(s) > 1 && s[0] == s[len(s)-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		return s[1 : len(s)-1]
	}
	return s
}

// stopWords are never the name of a revision or a path.
func stopWords() []string {
	return strings.Fields(`the a an of in on by to at is are was were be been has have had do does did done and or not no any all me my i we you it its this that these those
		what which who when where why how show list tell give get find see print display last first latest recent recently newest previous next most
		commit commits committed change changes changed changing log history diff difference differences compare between from with since until after before
		touching touched touch affecting made make happened happening happen activity work worked working file files folder directory line lines code repo repository
		project git branch branches tag tags release version author authors today yesterday week month year day days hour hours ago new modified edited updated wrote
		written added deleted removed introduced created details detail summary summarise summarize describe explain about everything anything something there up
		many number count total uncommitted status patch full contributors contributor person people per each mostly time date back checked out active currently
		for into over during past stat stats against vs so far else other look latter people's everyone blame annotate responsible edit change's only just
		package module component thing things constant function variable type method compared tagged released called named ever anyone someone people developers whom whose
		together wrote write writes text forget forgot done doing new news us kind sort most least active really exactly please thanks second minute minutes weeks months years`)
}
