package guard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base32 = upper + "234567"
	hexa   = "0123456789abcdef"
	alnums = "0123456789" + upper + "abcdefghijklmnopqrstuvwxyz"
)

// body is n characters as an issuer would draw them: tokens are made when the
// tests run, so that none is in the repository.
func body(n int, alphabet string) string {
	b := make([]byte, n)
	x := uint32(n)*2654435761 + 12345
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = alphabet[int(x>>16)%len(alphabet)]
	}
	return string(b)
}

func pem(label, text string) string {
	return "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----"
}

type secretCase struct {
	before, secret, after string
	kind                  string
}

func trueCases() []secretCase {
	jwt := "eyJ" + body(17, alnums) + ".eyJ" + body(40, alnums) + "." + body(43, alnums+"-_")
	lines := body(64, alnums+"+/") + "\n" + body(64, alnums) + "\n" + body(30, alnums) + "=="
	oneLine := "-----BEGIN PRIVATE KEY-----" + `\n` + body(64, alnums) + `\n` + body(40, alnums) + `\n` + "-----END PRIVATE KEY-----"
	ghp := "ghp" + "_" + body(36, alnums)
	return []secretCase{
		{"my key:\n", pem("RSA "+"PRIVATE KEY", lines), "\nthanks", kindPrivateKey},
		{"", pem("OPENSSH "+"PRIVATE KEY", lines), "", kindPrivateKey},
		{"", pem("EC "+"PRIVATE KEY", lines), "", kindPrivateKey},
		{"", pem("ENCRYPTED "+"PRIVATE KEY", lines), "", kindPrivateKey},
		{"", pem("PGP "+"PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n"+lines+"\n=aBcD"), "\n", kindPrivateKey},
		{`{"private_key": "`, oneLine, `"}`, kindPrivateKey},
		{"cut off: ", "-----BEGIN " + "PRIVATE KEY-----\n" + body(64, alnums) + "\n" + body(20, alnums), "", kindPrivateKey},

		{"id ", "AKI" + "A" + body(16, base32), " is ours", kindAWSAccess},
		{"aws_access_key_id = ", "ASI" + "A" + body(16, base32), "\n", kindAWSAccess},
		{"aws_secret_access_key = ", body(40, alnums+"/+"), "\n", kindAWSSecret},
		{`"SecretAccessKey": "`, body(40, alnums+"/+"), `"`, kindAWSSecret},
		{"export AWS_SECRET_ACCESS_KEY=", body(40, alnums+"/+"), "", kindAWSSecret},

		{"use ", ghp, ".", "github_token"},
		{`log\n`, ghp, `\n`, "github_token"},
		{"\x1b[31m", ghp, "\x1b[0m", "github_token"},
		{"token%3D", ghp, "&x=1", "github_token"},
		{"https://", ghp, "@github.com/a/b", "github_token"},
		{"", "gho" + "_" + body(36, alnums), "", "github_token"},
		{"", "ghs" + "_" + body(36, alnums), "", "github_token"},
		{"", "ghs" + "_123456_" + jwt, " ", "github_token"},
		{"", "github" + "_pat_" + body(22, alnums) + "_" + body(59, alnums), ",", "github_token"},
		{"PRIVATE-TOKEN: ", "glp" + "at-" + body(20, alnums+"_-"), "", "gitlab_token"},
		{"", "glp" + "at-" + body(27, alnums) + ".01." + body(9, hexa), "", "gitlab_token"},
		{"", "glr" + "t-" + body(20, alnums), "", "gitlab_token"},
		{"", "xox" + "b-" + body(12, "0123456789") + "-" + body(13, "0123456789") + "-" + body(24, alnums), "", "slack_token"},
		{"", "xap" + "p-1-A" + body(10, upper) + "-" + body(13, "0123456789") + "-" + body(64, hexa), "", "slack_token"},
		{"https://hooks.slack.com" + "/services/", "T" + body(10, upper) + "/B" + body(10, upper) + "/" + body(24, alnums), "", "slack_webhook"},
		{"", "sk_" + "live_" + body(24, alnums), "", "stripe_key"},
		{"", "rk_" + "live_" + body(99, alnums), "", "stripe_key"},
		{"", "whs" + "ec_" + body(32, alnums), "", "stripe_key"},
		{"OPENAI_API_KEY=", "sk-" + "proj-" + body(74, alnums+"_-") + "T3Blbk" + "FJ" + body(74, alnums), "", "openai_key"},
		{"", "sk-" + body(20, alnums) + "T3Blbk" + "FJ" + body(20, alnums), "", "openai_key"},
		{"ANTHROPIC_API_KEY=", "sk-" + "ant-api03-" + body(93, alnums+"_-") + "AA", "\n", "anthropic_key"},
		{"key ", "sk-" + "or-v1-" + body(64, hexa), "", "openrouter_key"},
		{"?key=", "AIz" + "a" + body(35, alnums+"_-"), "", "google_api_key"},
		{"", "GOC" + "SPX-" + body(28, alnums), "", "google_oauth"},
		{"", "ya2" + "9." + body(60, alnums+"_-"), "", "google_oauth"},
		{"//registry.npmjs.org/:_authToken=", "npm" + "_" + body(36, alnums), "", "npm_token"},
		{"password = ", "pyp" + "i-AgEIcHlwaS5vcmc" + body(80, alnums), "", "pypi_token"},
		{"", "hf" + "_" + body(34, alnums), "", "huggingface_token"},

		{"cookie ", jwt, "; path=/", kindJWT},
		{"Authorization: Bearer ", jwt, "\r\n", kindJWT},
		{"curl -H 'Authorization: Bearer ", body(32, alnums), "' https://x", kindBearer},
		{"bearer ", body(40, hexa), "", kindBearer},
		{"Authorization: Basic ", "dXNlcjpo" + "dW50ZXIy", "\n", kindBasic},
		{`"Authorization": "Token `, body(40, hexa), `"`, kindAuth},
		{"authorization: ", body(32, alnums), "", kindAuth},

		{"postgres://app:", "s3cr3t", "@db:5432/x?sslmode=disable", kindURL},
		{"redis://:", "hunter2", "@localhost:6379/0", kindURL},
		{"amqp://guest:", "gu@st", "@mq", kindURL},
		{"https://user:", "pässwörd", "@host/path", kindURL},

		{"password=", "hunter2", "", kindPassword},
		{"password: ", "hunter2", "\n", kindPassword},
		{"password: ", "swordfish", "\nuser: bob", kindPassword},
		{"**Password:** `", "hunter2", "`", kindPassword},
		{`{"user":"bob","password":"`, "swordfish", `"}`, kindPassword},
		{`{"user":"bob","password":"`, "swordf", "", kindPassword},
		{`{\"password\": \"`, "swordfish", `\"}`, kindPassword},
		{`db_password = "`, "correct horse battery", `"`, kindPassword},
		{"Server=db;User Id=sa;Password=", "Swordfish", ";Encrypt=true", kindPassword},
		{"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", body(86, alnums+"+/") + "==", ";x", "api_key"},
		{"Endpoint=sb://x/;SharedAccessKey=", body(43, alnums) + "=", "", "api_key"},
		{"https://x.io/login?user=bob&password=", "Hunter", "&next=/", kindPassword},
		{"mysql --password=", "pw1234", " -u root", kindPassword},
		{"Uid=sa;Pwd=", "Hunter", ";", kindPassword},
		{"DB_PASS=", "hunter2", "", kindPassword},
		{`password="`, "hunter2 [secret: x]", `"`, kindPassword},
		{"tool --password ", "hunter2", " -v", kindPassword},
		{"<password>", "hunter2", "</password>", kindPassword},
		{`dbPass := "`, "tr0ub4dor&3", `"`, kindPassword},
		{`if password == "`, "opensesame1", `" {`, kindPassword},

		{"api_key: ", body(32, hexa), "\n", "api_key"},
		{"API key: ", body(24, alnums), "", "api_key"},
		{`apiKey = '`, body(24, alnums), `'`, "api_key"},
		{"x-api-key: ", "550e8400-e29b-41d4-a716-446655440000", "\n", "api_key"},
		{"export FOO_TOKEN=", body(20, alnums), "\n", kindToken},
		{"export FOO_TOKEN=\"", body(20, alnums), "\"\n", kindToken},
		{"MY_TOKEN=", "swordfishes", "\n", kindToken},
		{`os.environ["SERVICE_TOKEN"] = "`, body(20, alnums), `"`, kindToken},
		{`"client_secret": "`, body(30, alnums), `"`, kindSecret},
		{"secret=", body(40, hexa), "", kindSecret},
		{"DJANGO_SECRET_KEY='", "django-insecure-" + body(30, alnums+"!@#$%"), "'", kindSecret},
	}
}

func TestSecretsAreFoundWhereTheyStand(t *testing.T) {
	cases := trueCases()
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		s := c.before + c.secret + c.after
		want := []Finding{{c.kind, len(c.before), len(c.before) + len(c.secret)}}
		if diff := cmp.Diff(want, findSecrets(s)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", s, diff)
		}
	}
}

func TestATokenBeforeThePasswordOfAURLIsFoundToo(t *testing.T) {
	got, n := Mask("https://" + "ghp" + "_" + body(36, alnums) + ":x-oauth-basic@github.com/a/b")
	if want := "https://[secret: github_token]:[secret: url_password]@github.com/a/b"; got != want || n != 2 {
		t.Errorf("%d in %q, want %q", n, got, want)
	}
}

func falseCases() []string {
	sha1, sha256 := body(40, hexa), body(64, hexa)
	image := body(400, alnums+"+/")
	return []string{
		"", "commit " + sha1, "fixed in " + sha1[:7], "sha256:" + sha256, sha256 + "  file.tar.gz",
		"550e8400-e29b-41d4-a716-446655440000", "id: 550e8400-e29b-41d4-a716-446655440000",
		"data:image/png;base64," + image, `{"image": "` + image + `"}`, "h1:" + body(43, alnums+"+/") + "=",
		"integrity sha512-" + body(86, alnums+"+/") + "==",
		"the token is sent with each request", "each token costs money", "Token: a unit of text", "the secret: practice",
		"password: required", "Password: must be at least 8 characters", "Please enter your password:", "Password:\n",
		"password: string;", "password?: string", "token: Token", "func login(user, password string) error",
		`password := os.Getenv("X")`, `password = getpass.getpass()`, "token = lexer.next_token()", "token := <-tokens",
		"api_key=YOUR_KEY", "api_key=YOUR_API_KEY", "api_key: <your key>", "API_KEY=xxxxxxxxxxxx", "TOKEN=${TOKEN}", "TOKEN=$TOKEN",
		"token: ${{ secrets.GITHUB_TOKEN }}", "password={{ password }}", "password: %s", "password=$(pass show x)", `"password": ""`,
		"password=********", "password: '***'", `password="changeme"`, "token=...", "PASSWORD=<redacted>",
		"connect(user=user, password=password)", "login(token=token, secret=secret)", "Client{Password: cfg.Password, Token: cfg.Token}",
		"this.password = password;", "self.api_key = api_key", "password = args.password", "apiKey: process.env.API_KEY,",
		"max_token: 4096", "max_tokens=4096", "tokens: 12345678", `"token_type": "bearer"`, "token_count=123456789", "pass: 12, fail: 3",
		"PrivateKey: testRSA2048PrivateKey,", `Www-Authenticate: Bearer resource_metadata="https://x"`, "bypass: hunter2", "FTINTRPWD: x1y2", "OLDPWD=dir",
		"--- PASS: TestIt/v1 (0.00s)", "PWD=dir", "pwd: absWork,", "password = value\n", "secretName: my-app-tls", `"secret": "my-app-tls"`, "next_page_token: " + body(30, alnums), "public_key: " + body(43, alnums),
		`{"type": "string", "description": "the password"}`, `"password": "Enter your password"`, `"password": "string"`,
		"if token == nil {", "case token.IDENT:", "Token::Ident(name)", "password != confirmation", "token: true", "secret: null",
		"key: value", "keyboard: qwerty1234", "monkey=" + sha1, "PWD=/home/user1/src", "OLDPWD=/tmp/x1",
		"https://example.com:8080/a@b", "git@github.com:org/repo.git", "ssh://git@github.com/org/repo", "https://${USER}:${PASS}@host",
		"postgres://%s:%s@%s/%s", "http://user:<password>@host", "mail bob@corp.example",
		"AKIA" + "IOSFODNN7EXAMPLE", "AKIA", "AKIA is the prefix", "ghp_ tokens", "ghp_" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-learn", "sk-loading-spinner-container-wide",
		"xoxb-your-token-here-please", "glpat-your-token-goes-right-here", "hf_hub_download", "npm_config_registry", "pypi-server-with-a-name", "sk_test_", "pk_live_" + body(24, alnums),
		"eyJ" + body(60, alnums), "Bearer of bad news", "bearer authentication", "Bearer token authentication-and-authorization", "Basic understanding of the code", "basic authentication", "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN",
		"-----BEGIN CERTIFICATE-----\n" + image + "\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\n" + image + "\n-----END PUBLIC KEY-----",
		"it begins with -----BEGIN PRIVATE KEY----- as always", pem("PRIVATE KEY", "..."),
		"token: https://auth.corp.io/token", "secret: /run/secrets/db", "password_file: /etc/x1", "see [secret: it's nice]",
		"the api key is missing, set API_KEY and restart", "401: invalid token", "error: token expired at 12:30:45", "auth: ok",
		"password: ", "password=", "token:", "=", ":", "://", "[secret: ", "\\", "%", "\x1b[",
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	cases := falseCases()
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, s := range cases {
		if got, n := Mask(s); got != s || n != 0 {
			t.Errorf("%q became %q", s, got)
		}
	}
}
