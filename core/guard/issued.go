package guard

import "strings"

// format is how an issuer writes its tokens: a prefix and a body of letters,
// digits and extra.
type format struct {
	kind   string
	prefix int // its length
	extra  string
	least  int // the length of the body
	exact  bool
}

// issued reads the token of a known issuer at the start of s. If only its
// prefix is there, n is the length of what cannot be a token.
func issued(s string) (kind string, n int, ok bool) {
	if len(s) < 12 {
		return "", 0, false
	}
	if strings.HasPrefix(s, "eyJ") {
		return jwt(s)
	}
	f := formatOf(s)
	if f.kind == "" {
		return "", 0, false
	}
	n = f.prefix + runLen(s[f.prefix:], f.extra)
	v := strings.TrimRight(s[:n], ".-")
	body := v[min(len(v), f.prefix):]
	switch {
	case len(body) < f.least, f.exact && len(body) != f.least, isPlaceholder(body), distinct(body) < 6:
		return "", n, false
	case f.kind == kindSlackHook && strings.Count(body, "/") != 2:
		return "", n, false
	case f.extra != "" && isWordy(body):
		return "", n, false
	}
	return f.kind, len(v), true
}

// formatOf tells the format by the prefix; its kind is empty if there is none.
// The first three letters decide, as this is asked for each word of a text.
func formatOf(s string) format {
	switch s[:3] {
	case "AKI", "ASI", "ABI", "ACC":
		if s[3] == 'A' {
			return format{kindAWSAccess, 4, "", 16, true}
		}
	case "AIz":
		if s[3] == 'a' {
			return format{kindGoogle, 4, "_-", 35, true}
		}
	case "GOC":
		if strings.HasPrefix(s, "GOCSPX-") {
			return format{kindGoogleOAuth, 7, "_-", 20, false}
		}
	case "ya2":
		if strings.HasPrefix(s, "ya29.") {
			return format{kindGoogleOAuth, 5, "._-", 20, false}
		}
	case "ghp", "gho", "ghu", "ghr":
		if s[3] == '_' {
			return format{kindGitHub, 4, "", 36, false}
		}
	case "ghs":
		if s[3] == '_' { // the newer ones hold a JWT
			return format{kindGitHub, 4, "._-", 36, false}
		}
	case "git":
		if strings.HasPrefix(s, "github_pat_") {
			return format{kindGitHub, 11, "_", 36, false}
		}
	case "glp", "gld", "glr", "glc", "glf", "gli", "gla", "glo", "gls":
		return gitLab(s)
	case "xox", "xap", "xwf":
		return slack(s)
	case "hoo":
		if strings.HasPrefix(s, "hooks.slack.com/services/") {
			return format{kindSlackHook, 25, "/", 30, false}
		}
	case "sk_", "rk_":
		if strings.HasPrefix(s[3:], "live_") || strings.HasPrefix(s[3:], "test_") {
			return format{kindStripe, 8, "", 10, false}
		}
	case "whs":
		if strings.HasPrefix(s, "whsec_") {
			return format{kindStripe, 6, "+/=", 24, false}
		}
	case "sk-":
		return model(s)
	case "npm":
		if s[3] == '_' {
			return format{kindNPM, 4, "", 36, false}
		}
	case "pyp":
		if strings.HasPrefix(s, "pypi-") {
			return format{kindPyPI, 5, "_-", 50, false}
		}
	case "hf_":
		return format{kindHuggingFace, 3, "", 30, false}
	}
	return format{}
}

func gitLab(s string) format {
	dash := strings.IndexByte(s[:12], '-')
	if dash < 0 {
		return format{}
	}
	switch s[:dash] {
	case "glpat", "gldt", "glrt", "glrtr", "glcbt", "glptt", "glft", "glimt", "glagent", "gloas", "glsoat", "glffct":
		return format{kindGitLab, dash + 1, "._-", 20, false}
	}
	return format{}
}

func slack(s string) format {
	switch dash := strings.IndexByte(s[:5], '-'); {
	case strings.HasPrefix(s, "xoxe.xox"):
		return format{kindSlack, 5, "-", 20, false}
	case dash != 4:
	case s[:3] == "xox" && strings.IndexByte("abcdeoprs", s[3]) >= 0, s[:4] == "xapp", s[:4] == "xwfp":
		return format{kindSlack, 5, "-%", 16, false}
	}
	return format{}
}

// model is for the keys of those who serve models, which share a prefix.
func model(s string) format {
	switch {
	case strings.HasPrefix(s, "sk-ant-"):
		return format{kindAnthropic, 7, "_-", 24, false}
	case strings.HasPrefix(s, "sk-or-v1-"):
		return format{kindOpenRouter, 9, "", 32, false}
	case strings.HasPrefix(s, "sk-proj-"):
		return format{kindOpenAI, 8, "_-", 24, false}
	case strings.HasPrefix(s, "sk-admin-"):
		return format{kindOpenAI, 9, "_-", 24, false}
	case strings.HasPrefix(s, "sk-svcacct-"):
		return format{kindOpenAI, 11, "_-", 24, false}
	}
	return format{kindOpenAI, 3, "", 32, false}
}

// jwt reads header.payload.signature, the last of which may be empty.
func jwt(s string) (kind string, n int, ok bool) {
	n = runLen(s, "._-=")
	v := s[:n]
	header, rest, _ := strings.Cut(v, ".")
	payload, _, dots := strings.Cut(rest, ".")
	if !dots || len(header) < 8 || len(payload) < 8 {
		return "", n, false
	}
	return kindJWT, len(strings.TrimRight(v, ".-=")), true
}
