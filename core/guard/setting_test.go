package guard

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settingCase is JSON in which a value stands under the name of a secret: it stays if want is empty.
type settingCase struct{ in, want string }

// settingCases are made in two halves: the rule was written with the first, and is measured with the second.
func settingCases() map[string][]settingCase {
	return map[string][]settingCase{
		"tuned": {
			{`{"secrets":"redact"}`, ""},
			{`{"guard":{"secrets":"redact","personal":"allow"}}`, ""},
			{`{"secrets":"force_failure"}`, ""},
			{`{"token":"required"}`, ""},
			{`{"api_key":"Optional"}`, ""},
			{`{"auth":"basic"}`, ""},
			{`{"secrets":["redact","block"]}`, ""},
			{`{"secrets":"swordfish-19"}`, `{"secrets":"[secret: secret]"}`},
			{`{"secret":"qzxkvbwpfjhgmtcrdl"}`, `{"secret":"[secret: secret]"}`},
			{`{"password":"swordfish"}`, `{"password":"[secret: password]"}`},
			{`{"passwords":["swordfish"]}`, `{"passwords":["[secret: password]"]}`},
			{`{"client_secret":"hGzKqWxLpV"}`, `{"client_secret":"[secret: secret]"}`},
			{`{"token":"abc"}`, `{"token":"[secret: token]"}`},
		},
		"held out": {
			{`{"secrets":"inherit"}`, ""},
			{`{"credentials":"include"}`, ""},
			{`{"api_keys":"none-found"}`, ""},
			{`{"mode":{"secret":"encrypted"}}`, ""},
			{`{"token":"keyword"}`, ""},
			{`{"signing_key":"server"}`, ""},
			{`{"authorization":"anonymous"}`, ""},
			{`{"secrets":"block","x":{"api_key":"unlimited"}}`, ""},
			{`{"token":"kjhwqfpz"}`, `{"token":"[secret: token]"}`},
			{`{"api_key":"XKQWZRTLMNPD"}`, `{"api_key":"[secret: api_key]"}`},
			{`{"secret":"correct horse battery staple"}`, `{"secret":"[secret: secret]"}`},
			{`{"secrets":{"db":"hunter2"}}`, `{"secrets":{"db":"[secret: secret]"}}`},
			{`{"client_secret":"aGVsbG8gd29ybGQ"}`, `{"client_secret":"[secret: secret]"}`},
			{`{"passphrase":"meadow"}`, `{"passphrase":"[secret: password]"}`},
			{`{"token":"bdfgklmn-qrstvwxz"}`, `{"token":"[secret: token]"}`},
		},
	}
}

func TestAPlainWordUnderTheNameOfATokenStays(t *testing.T) {
	for half, cases := range settingCases() {
		for _, c := range cases {
			want := c.want
			if want == "" {
				want = c.in
			}
			got, n := maskValue(json.RawMessage(c.in))
			if diff := cmp.Diff(want, string(got.(json.RawMessage))); diff != "" || (n > 0) != (c.want != "") {
				t.Errorf("%s: %s: %d masked (-want +got)\n%s", half, c.in, n, diff)
			}
		}
	}
}
