package calc_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

var bold = regexp.MustCompile(`\*\*(.+?)\*\*`)

func TestAQuestionIsReadAndAnswered(t *testing.T) {
	expertstest.Answers(t, expert, "questions.txt", 107)
	expertstest.Answers(t, expert, "typed.txt", 39)
	expertstest.Answers(t, expert, "asked.txt", 49)
}

func TestATextForOthersIsDeclined(t *testing.T) {
	expertstest.Declines(t, expert, "others.txt", 69)
}

func TestABidSaysWhatWasReadAndWhatIsMissing(t *testing.T) {
	said := []core.Message{{Role: core.RoleAssistant, Text: "**100.8**"}}
	for _, c := range []struct {
		text string
		said []core.Message
		want core.Bid
	}{
		{"12% of 840", nil, core.Bid{Score: experts.ReadAll, Reads: "12% × 840"}},
		{"5 miles in km", nil, core.Bid{Score: experts.ReadAll, Reads: "5 mi in km"}},
		{"255 in hex", nil, core.Bid{Score: experts.ReadAll, Reads: "255 in hex"}},
		{"17.5%", nil, core.Bid{Score: experts.ReadShape, Reads: "an operand", Needs: []string{"Of what shall I take 17.5%?"}}},
		{"half of that", nil, core.Bid{Score: experts.ReadShape, Reads: "an operand", Needs: []string{"I have no number that \"it\" could be. Say it in digits."}}},
		{"half of that", said, core.Bid{Score: experts.ReadAll, Reads: "1/2 × 100.8"}},
		{"plus 10", said, core.Bid{Score: experts.ReadAll, Reads: "100.8 + 10"}},
		{"plus 10", nil, core.Bid{}},
		{"5 dollars in euros", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"I cannot convert between dollars and euros: exchange rates change daily. Tell me the rate and I can multiply."}}},
		{"5 km in kg", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"I cannot bring km (length) and kg (mass) together."}}},
		{"sin 45", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"Degrees or radians? Say sin 45° or sin 45 rad."}}},
		{"convert 5 miles", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"Into what shall I convert 5 mi? Say for example \"5 mi in\" and the other unit."}}},
		{"2^(2^(2^100)) - 9999!", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"That number would have more than 10000 digits, which is more than I work with."}}},
		{"42", nil, core.Bid{}},
		{"12% of 840 and the weather", nil, core.Bid{}},
		{strings.Repeat("(", 10_000), nil, core.Bid{}},
	} {
		if diff := cmp.Diff(c.want, expert.Bid(t.Context(), c.text, c.said)); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", c.text, diff)
		}
	}
}

func BenchmarkABid(b *testing.B) {
	const size = 8 << 10
	expertstest.Bids(b, expert, []string{
		strings.Repeat("(", size),
		strings.Repeat("9", size),
		strings.Repeat("1+", size/2-1) + "1",
		strings.Repeat("1234 ", size/5),
		strings.Repeat("9^", size/2-1) + "9",
		"9" + strings.Repeat("!", size-1),
		strings.Repeat("what is the number of ", size/22),
		strings.Repeat("sqare ", size/6),
		strings.Repeat("the build of main is red again since ", size/37),
		strings.Repeat("1,234", size/5),
		strings.Repeat("sum(", size/4),
	})
}
