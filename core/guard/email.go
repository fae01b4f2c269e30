package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// emailAt returns the address around the @ at s[at]. It begins at from at the
// earliest.
func emailAt(s string, at, from int) (start, end int, ok bool) {
	start = localStart(s, at, from)
	end = at + 1 + hostLen(s[at+1:])
	if start == at || end == at+1 {
		return 0, 0, false
	}
	local, host := s[start:at], s[at+1:end]
	if !isPublicHost(host) || isRobot(local, host) || isMachine(s, start, end, from) {
		return 0, 0, false
	}
	return start, end, true
}

// localStart returns where the name before the @ at s[at] begins, or at.
func localStart(s string, at, from int) int {
	i := at
	for i > max(from, at-64) {
		r, n := utf8.DecodeLastRuneInString(s[from:i])
		if !isLocal(r) {
			break
		}
		i -= n
	}
	if i > 0 && i < at && s[i-1] == '\\' && strings.IndexByte("nrt", s[i]) >= 0 {
		i++ // \n, written as two
	}
	for i < at && !isAlnum(s[i]) && s[i] < utf8.RuneSelf {
		i++
	}
	if i < at && s[at-1] == '.' {
		return at
	}
	return i
}

func isLocal(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r)) || strings.IndexByte("._%+-", byte(r)) >= 0
	}
	return unicode.IsLetter(r)
}

// hostLen returns the length of the name of a host that s begins with, without
// the dot or dash at its end. Labels have letters, digits and dashes.
func hostLen(s string) int {
	i, end := 0, 0
	for i < len(s) && i < 253 {
		c := s[i]
		n := 1
		switch {
		case isAlnum(c):
			end = i + 1
		case c == '-' && i > 0 && s[i-1] != '.', c == '.' && i > 0 && s[i-1] != '.' && s[i-1] != '-':
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError || !unicode.IsLetter(r) {
				return end
			}
			n = size
			end = i + n
		default:
			return end
		}
		i += n
	}
	return end
}

// isPublicHost reports whether mail could go to host: its last label is one of
// the public ones, and it is not a version or the name of a file.
func isPublicHost(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || !isTopLevel(host[dot+1:]) {
		return false
	}
	first, rest, _ := strings.Cut(host, ".")
	first = strings.TrimPrefix(first, "v")
	version := strings.Trim(first, "0123456789") == "" && rest[0]-'0' < 10
	return !version && host[:dot] != "2x" && host[:dot] != "3x"
}

// isTopLevel knows the countries by their form, and the larger others.
func isTopLevel(label string) bool {
	var buf [12]byte
	if len(label) < 2 || len(label) > len(buf) {
		return strings.HasPrefix(label, "xn--")
	}
	lower := buf[:copy(buf[:], label)]
	upper := 0
	for i, c := range lower {
		if c-'A' < 26 {
			lower[i] = c | 0x20
			upper++
		}
	}
	if upper > 0 && upper < len(lower) {
		return false // a name in code
	}
	if len(lower) == 2 {
		switch string(lower) {
		case "js", "ts", "go", "gz", "rb", "hs", "kt", "db", "xz", "bz", "ex", "vb", "md", "rs", "sh", "py", "so": // files
			return false
		}
		return lower[0]-'a' < 26 && lower[1]-'a' < 26
	}
	switch string(lower) {
	case "com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "name", "pro", "dev", "app", "xyz", "online", "site",
		"tech", "cloud", "email", "store", "shop", "blog", "club", "live", "life", "world", "digital", "agency", "studio",
		"design", "systems", "solutions", "software", "network", "services", "company", "group", "team", "work", "media",
		"health", "consulting", "ventures", "berlin", "hamburg", "koeln", "bayern", "wien", "paris", "london", "nyc", "eus", "cat",
		"museum", "mobi", "jobs", "travel", "asia", "tel", "example", "page", "games", "global", "foundation", "academy", "finance", "bank", "law", "swiss":
		return true
	}
	return false
}

// isRobot reports whether nobody reads what is sent to local@host.
func isRobot(local, host string) bool {
	for _, name := range [...]string{"noreply", "no-reply", "no_reply", "do-not-reply", "do_not_reply", "donotreply", "git", "hg", "svn", "mailer-daemon"} {
		if strings.EqualFold(local, name) {
			return true
		}
	}
	return hasPrefixFold(host, "users.noreply.") || hasPrefixFold(host, "noreply.") || strings.HasSuffix(host, ".gserviceaccount.com")
}

// isMachine reports whether s[start:end] is not written to but connected to: it
// is in a URL, in a path, in a prompt, or an argument of ssh.
func isMachine(s string, start, end, from int) bool {
	rest := s[end:]
	if rest != "" {
		switch rest[0] {
		case '@', '(', '{', '=', '\\':
			return rest[0] != '\\' || len(rest) == 1 || strings.IndexByte("nrt\"", rest[1]) < 0
		case '/':
			return true
		case ':':
			if isRemotePath(rest[1:]) {
				return true
			}
		}
	}
	before := s[max(from, start-160):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	if before == "" {
		return false
	}
	switch before[len(before)-1] {
	case '/', '@', '$':
		return true
	case ':': // scheme://user:password@host
		if n := strings.LastIndex(before, "://"); n >= 0 && !strings.ContainsAny(before[n:], " \t") {
			return true
		}
	case '[': // [user@host ~]$
		if n := strings.IndexByte(rest[:min(len(rest), 64)], ']'); n >= 0 && n+1 < len(rest) && (rest[n+1] == '#' || rest[n+1] == '$') {
			return true
		}
	}
	return endsWithRemoteCommand(before)
}

// isRemotePath reports whether s, after a colon, begins with a path or a port.
func isRemotePath(s string) bool {
	s = s[:min(len(s), 128)]
	if n := strings.IndexAny(s, " \t\r\n\"'`,;)"); n >= 0 {
		s = s[:n]
	}
	if s == "" {
		return false
	}
	return strings.ContainsAny(s, "/~") || s[0]-'0' < 10 || s[0] == '.' || s[0] == '*' || strings.HasSuffix(s, ".git")
}

// endsWithRemoteCommand reports whether before is ssh or one of its kind with
// nothing but options and paths after it.
func endsWithRemoteCommand(before string) bool {
	arg := false // the word to the right may be the argument of an option
	for range 10 {
		before = strings.TrimRight(before, " \t\"'")
		start := strings.LastIndexAny(before, " \t`") + 1
		word := before[start:]
		option := strings.HasPrefix(word, "-")
		if arg && !option {
			return false
		}
		switch word {
		case "ssh", "scp", "sftp", "rsync", "mosh", "sshfs", "ssh-copy-id", "ssh-keyscan", "autossh":
			return true
		case "":
			return false
		}
		arg = !option && !strings.ContainsAny(word, "/.:~=$")
		before = before[:start]
	}
	return false
}
