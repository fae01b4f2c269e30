package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
)

type personalCase struct{ before, data, after, kind string }

func personalCases() []personalCase {
	return []personalCase{
		{"write to ", "bob@corp.com", " please", kindEmail},
		{"", "ann.smith+news@mail.example.co.uk", "", kindEmail},
		{"mail ", "bob@corp.com", ".", kindEmail},
		{"<", "bob@corp.com", ">", kindEmail},
		{"Author: Bob <", "bob.o-neil@sub.corp.io", ">\nDate: now", kindEmail},
		{"mailto:", "bob@corp.com", "?subject=x", kindEmail},
		{"Co-authored-by: Ann <", "ann@corp.dev", ">", kindEmail},
		{`{"email": "`, "bob@corp.com", `"}`, kindEmail},
		{"an ", "ann@example.com", ", so be it", kindEmail},
		{"user=", "bob_1@corp.org", "&x=1", kindEmail},
		{"Jürgen: ", "jürgen@müller.de", "", kindEmail},
		{"", "BOB@CORP.COM", "", kindEmail},
		{`log:\n`, "bob@corp.com", `\n`, kindEmail},
		{"(", "bob@corp.com", ")", kindEmail},
		{"bob writes to ", "12345@qq.com", ": help", kindEmail},
		{"we use ssh; ask ", "bob@corp.com", " for a key", kindEmail},
		{"von ", "frau.mayer@1und1.de", "\n", kindEmail},
		{"leaked: ", "bob@corp.com", ":hunter", kindEmail},
		{"git config user.email ", "bob@corp.com", "", kindEmail},
		{"[", "bob@corp.com", "] wrote", kindEmail},
		{"x,", "bob@corp.com", ",y", kindEmail},

		{"", "+49 30 1234567", "", kindPhone},
		{"call ", "+49 (0)30 123 456-78", " now", kindPhone},
		{"", "+491701234567", "", kindPhone},
		{"(", "+49-170-1234567", ")", kindPhone},
		{"tel:", "+1-201-555-0123", "", kindPhone},
		{"", "+1 (415) 555-2671", ".", kindPhone},
		{"", "+14155552671", "", kindPhone},
		{"", "+33 6 12 34 56 78", "", kindPhone},
		{"", "+44 20 7946 0958", ",", kindPhone},
		{"", "+44 7700 900123", "", kindPhone},
		{"", "+34 612 34 56 78", "", kindPhone},
		{"", "+41 44 668 18 00", "", kindPhone},
		{"", "+86 138 0013 8000", "", kindPhone},
		{"", "+1.415.555.2671", "", kindPhone},
		{"ring ", "0049 30 1234567", "", kindPhone},
		{"my number: ", "(415) 555-2671", "", kindPhone},
		{"", "(415)555-2671", " is it", kindPhone},
		{"", "415-555-2671", "", kindPhone},
		{"", "1-800-555-2671", "", kindPhone},
		{"", "415.555.2671", "", kindPhone},
		{"phone: ", "4155552671", "", kindPhone},
		{"phone number is ", "415 555 2671", "", kindPhone},
		{"Call me at ", "555 234 5678", "", kindPhone},
		{"Tel. ", "030 1234567", "", kindPhone},
		{"", "(030) 1234567", "", kindPhone},
		{"", "0170/1234567", "", kindPhone},
		{"", "0170-1234567", "", kindPhone},
		{"Telefon: ", "089/123456", "", kindPhone},
		{"ruf an: ", "06 12 34 56 78", "", kindPhone},
		{"", "01.42.68.53.00", "", kindPhone},
		{"Tél : ", "01 42 68 53 00", "", kindPhone},
		{"mobile ", "07700 900123", "", kindPhone},
		{"fax: ", "020 7946 0958", "", kindPhone},

		{"IBAN ", "DE89 3704 0044 0532 0130 00", "", kindIBAN},
		{"", "DE89370400440532013000", ".", kindIBAN},
		{"to ", "GB29NWBK60161331926819", " today", kindIBAN},
		{"", "FR14 2004 1010 0505 0001 3M02 606", "", kindIBAN},
		{"", "CH93 0076 2011 6238 5295 7", "", kindIBAN},
		{"", "ES9121000418450200051332", "", kindIBAN},
		{"", "NL91ABNA0417164300", "", kindIBAN},
		{"", "NO9386011117947", ",", kindIBAN},

		{"card ", "4111 1111 1111 1111", "", kindCard},
		{"", "4111111111111111", "", kindCard},
		{"", "4111-1111-1111-1111", " 12/27", kindCard},
		{"", "5555 5555 5555 4444", "", kindCard},
		{"", "2223003122003222", "", kindCard},
		{"Bob,", "378282246310005", ",12/27", kindCard},
		{"", "3782 822463 10005", "", kindCard},
		{"", "6011111111111117", "", kindCard},
		{"(", "3530111333300000", ")", kindCard},
		{"", "3056 930902 5904", "", kindCard},

		{"", "123-45-6789", "", kindSSN},
		{"SSN: ", "123 45 6789", "", kindSSN},
		{"his social security number is ", "123456789", ".", kindSSN},
		{`"ssn": "`, "219-09-9999", `"`, kindSSN},
	}
}

func TestPersonalDataIsFoundWhereItStands(t *testing.T) {
	cases := personalCases()
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, c := range cases {
		s := c.before + c.data + c.after
		want := []Finding{{c.kind, len(c.before), len(c.before) + len(c.data)}}
		if diff := cmp.Diff(want, findPersonal(s)); diff != "" {
			t.Errorf("%q: (-want +got)\n%s", s, diff)
		}
	}
}

// notPersonal is what developers write that looks like personal data.
func notPersonal() []string {
	return []string{
		"", "@", "a@", "@b", "a@b", "@alice please look", "cc @team/backend", "user@host", "root@localhost", "bob@machine.local", "db@svc.cluster.local",
		"git clone git@github.com:owner/repo.git", "git@github.com:owner/repo", "git@gitlab.com", "ssh bob@host.example.com", "ssh -i ~/.ssh/id -p 22 ubuntu@ec2-1-2-3-4.compute.amazonaws.com",
		"scp file.txt bob@corp.com:/tmp/", "rsync -avz ./dist deploy@www.corp.com:~/www", "sudo ssh -o StrictHostKeyChecking=no bob@corp.com uptime",
		"https://bob@corp.com/path", "postgres://app:pw@db.corp.com:5432/x", "ssh://git@github.com/org/repo", "https://corp.com/@bob@mastodon.social",
		"noreply@github.com", "no-reply@corp.com", "12345+bob@users.noreply.github.com", "build@project.iam.gserviceaccount.com",
		"go install golang.org/x/tools/cmd/goimports@latest", "github.com/foo/bar@v1.2.3", "lodash@4.17.21.tgz", "icon@2x.png", "npm i react@18.2.0 @types/node@20.x", "actions/checkout@v4",
		"getty@tty1.service", "package@1.0.0-rc.final", "self.w@x.grad", "a@b.T", "A@B.inverse()", "root@web01.corp.com:~# ls", "[root@web01.corp.com ~]# ls", "image@sha256:" + body(64, hexa),
		"@Override public void run()", "@media (max-width: 600px)", "main.Handler@0x7ffe1234", "java.lang.Object@1b6d3586",

		"commit " + body(40, hexa), "550e8400-e29b-41d4-a716-446655440000", "12345678-1234-1234-1234-123456789012", "2024-01-15T10:30:00+02:00", "2024-01-15 10:30:00.123456", "20240115103000", "1700000000", "1700000000000", "1700000000000000", "1700000000000000000",
		"v1.2.3", "10.0.19045.3570", "121.0.6167.185", "192.168.100.200", "127.0.0.1:8080", "2001:db8::8a2e:370:7334", "0.1.2-alpha.3", "Chrome/120.0.6099.109",
		"@@ -123,45 +1234567,89 @@", "+1234567", "0069 0307 0300", "+1073741824 bytes", "+48.8583701, +2.2944813", "-rw-r--r-- 0644 10485760 file", "chmod 0755 1234567", "x = 1 + 2345678901", "+1 +2 +3 +4 +5 +6 +7 +8", "+10 20 30 40 50 60",
		"pid 4155552671", "id: 4111111111111111", "order_id=4111111111111111", "userId: 4111111111111111", "4111111111111112", "1234567812345678", "0.4111111111111111", "4111111111111111.5", "/orders/4111111111111111", "4111111111111111abc", "trace 4111111111111111",
		"$4,155,552,671.00", "#4155552671", "1,234,567,890", "4155552671", "port 8080, 9090, 3000", "at main.go:415:555", "goroutine 4155552671 [running]", "0x4155552671", "line 123-456", "T-415-555", "000-12-3456", "666-12-3456", "900-12-3456", "123-00-6789", "123-45-0000", "123-45-67890", "1123-45-6789", "A-123-45-6789",
		"415-555-267", "415-555-26711", "115-555-2671", "415-155-2671", "2.415.555.2671", "00 01 02 03 04 05 06 07", "06 07 08 09 10", "01 02 03 04 05", "00000010  06 12 34 56 78 9a", "0201-63361", "ISBN 0-306-40615-2", "ISBN 978-3-16-148410-0",
		"DE89370400440532013001", "DE00 1234", "DE89 3704", "AB12 3456 7890 1234", "GB29NWBK60161331926819X", "SHA256", "CVE-2024-12345", "RFC 2822", "ISO 8601", "UTF-8", "AES256GCM", "NO93 and so on, 86011117947",
		"12:34:56", "3.14159265358979", "1e100", "99.999999%", "iphone 15", "phone: none", "phone_id: 4155552671", "the phone has 2 GB", "tel: 192.168.1.100", "0..100", "1234567890123456789012345678901234567890", "((((", "+++++", "+", "(", "()", "(1)(2)(3)",
		"[personal: email]", "[personal: phone] and [personal: iban]", "phone: [personal: phone]",
	}
}

func TestWhatDevelopersWriteIsNotPersonal(t *testing.T) {
	cases := notPersonal()
	if len(cases) < 60 {
		t.Errorf("only %d cases", len(cases))
	}
	for _, s := range cases {
		for _, f := range findPersonal(s) {
			t.Errorf("%q: %s in %q", s[f.Start:f.End], f.Kind, s)
		}
	}
}

func TestEachOfSeveralIsFound(t *testing.T) {
	clean, hits := Policy{Personal: Redact}.Text("bob@corp.com, ann@corp.com (DE89370400440532013000), +49 30 1234567 and +49 30 7654321")
	if want := "[personal: email], [personal: email] ([personal: iban]), [personal: phone] and [personal: phone]"; clean != want {
		t.Errorf("%q", clean)
	}
	want := []Hit{{"personal", Redact, "2 email addresses, 1 IBAN, 2 phone numbers", nil}}
	must.Equal(t, want, hits)
	lines := strings.Repeat("4111111111111111\n", 3)
	if clean, _ := (Policy{Personal: Redact}).Text(lines); clean != strings.Repeat("[personal: card]\n", 3) {
		t.Errorf("%q", clean)
	}
}
