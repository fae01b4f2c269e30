package lang_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/must"
)

func TestWhatIsToBeChangedOfWhatWasSaidIsRead(t *testing.T) {
	for text, want := range map[string]lang.Amendment{
		"forget that":                         {Forget: true},
		"Forget that.":                        {Forget: true},
		"please forget this":                  {Forget: true},
		"forget the budget":                   {Forget: true, About: "the budget"},
		"forget what I said about the budget": {Forget: true, About: "what I said about the budget"},
		"that is wrong, it is lp-4":           {Right: "it is lp-4"},
		"That's wrong: my printer is lp-4.":   {Right: "my printer is lp-4"},
		"no, it's lp-4":                       {Right: "it's lp-4"},
		"that's not right":                    {},
		"actually it's Thursday now":          {Right: "it's Thursday"},
		"it's 10:30 now":                      {Right: "it's 10:30"},
		"actually it's in B2":                 {Right: "it's in B2"},
		"es ist jetzt Freitag":                {Right: "es ist Freitag"},
		"it was moved to 11 december":         {Right: "it is 11 december"},
		"no, on the 12th":                     {Right: "it is on the 12th", Bare: true},
		"no, 241":                             {Right: "it is 241", Bare: true},
		"make that 45 nodes":                  {Right: "it is 45 nodes"},
		"scrap that. 2 spaces":                {Right: "it is 2 spaces", Bare: true},
		"sorry, meant 45":                     {Right: "it is 45", Bare: true},
		"no, sorry, it is lp-4":               {Right: "it is lp-4"},
		"perdón, 8080":                        {Right: "es 8080", Bare: true},
		"no wait, it's in the van":            {Right: "it's in the van"},
		"actually she earns 26 pounds":        {Right: "she earns 26 pounds", Bare: true},
		"I meant the 20th":                    {Right: "it is the 20th", Bare: true},
		"no, cobra 1.480 euros al mes":        {Right: "cobra 1.480 euros al mes", Bare: true},
		"Quatsch, er steht bei Olga":          {Right: "er steht bei Olga", Bare: true},
		"nein, am Freitag":                    {Right: "es ist am Freitag", Bare: true},
		"vergiss das":                         {Forget: true},
		"bitte vergiss das Budget":            {Forget: true, About: "das Budget"},
		"nein, es ist lp-4":                   {Right: "es ist lp-4"},
		"das stimmt nicht, er heißt lp-4":     {Right: "er heißt lp-4"},
		"olvida el presupuesto":               {Forget: true, About: "el presupuesto"},
		"eso no es correcto, son 200 euros":   {Right: "son 200 euros"},
	} {
		got, ok := lang.ReadAmendment(text)
		if got.Language = nil; !ok || got != want {
			t.Errorf("%s: %+v, %v", text, got, ok)
		}
		if _, told := lang.Statement(text); told {
			t.Errorf("%s is taken for a statement", text)
		}
	}
	for _, text := range []string{
		"don't forget to water the plants", "forget it", "did I forget the milk?", "I forgot the milk", "what is wrong with the boiler?",
		"no, I mean Oslo", "I meant Oslo", "No, his sister moved to York.", "Nein, die Miete beträgt 950 €.", "no, thanks", "no 12 of them", "sorry, my printer is broken", "no, I will not", "no, it rains in Oslo", "it was moved to the attic by my brother last week", "the clock is wrong", "no", "vergiss nicht die Milch", "never mind",
		"it's late now", "actually it's fine", "actually the demo is at 11", "it's Thursday",
	} {
		if got, ok := lang.ReadAmendment(text); ok {
			t.Errorf("%s is taken for %+v", text, got)
		}
	}
}

func TestWhatIsRightTakesThePlaceOfWhatIsWrong(t *testing.T) {
	for _, c := range [][3]string{
		{"my printer is lp-3", "it is lp-4", "my printer is lp-4"},
		{"the farm is Lindner, 40 nodes", "it is 45 nodes", "the farm is Lindner, 45 nodes"},
		{"code for me: 4 spaces, no tabs", "it is 2 spaces", "code for me: 2 spaces, no tabs"},
		{"my phone is 0171 2345678", "it is 0171 999", "my phone is 0171 999"},
		{"the fair is on 3 May 2027", "it is 5 June", "the fair is on 5 June 2027"},
		{"I weigh 62 kilos", "it is 64", "I weigh 64 kilos"},
		{"We pay £35 for the hall", "it is 45", "We pay £45 for the hall"},
		{"Ich fahre ein Cube, Baujahr 2021", "es ist 2022", "Ich fahre ein Cube, Baujahr 2022"},
		{"der Drucker steht in Raum 3", "es ist Raum 4", "der Drucker steht in Raum 4"},
		{"my printer is lp-3", "it should be lp-4", "my printer is lp-4"},
		{"my printer is lp-3", "lp-4", "my printer is lp-4"},
		{"my printer is lp-3", "my printer is lp-4", "my printer is lp-4"},
		{"I live in Oslo and my cat is called Tom", "I live in Bergen", "I live in Bergen and my cat is called Tom"},
		{"we deploy on Fridays", "we never deploy on Fridays", "we never deploy on Fridays"},
		{"the retro is on Friday at 15:00", "it's Thursday", "the retro is on Thursday at 15:00"},
		{"the demo is at 11", "it's 10:30", "the demo is at 10:30"},
		{"I parked the van in C3", "it's in B2", "I parked the van in B2"},
		{"I put the fork in the green tin", "it's in the van", "I put the fork in the van"},
		{"Priya earns 24 pounds an hour", "she earns 26 pounds an hour", "Priya earns 26 pounds an hour"},
		{"the matinee is on Saturday 19 December at 2pm", "it is the 20th", "the matinee is on 20 December at 2pm"},
		{"the review is on the 3rd of May at 10", "it is the 4th", "the review is on the 4th of May at 10"},
		{"La portera se llama Eva y cobra 1.420 euros", "cobra 1.480 euros", "La portera se llama Eva y cobra 1.480 euros"},
		{"we sit in room 9 on the first floor", "it is room 12", "we sit in room 12"},
		{"Der Rasenmäher steht bei Kerstin", "er steht bei Olga", "Der Rasenmäher steht bei Olga"},
		{"Mein Drucker heißt lp-3", "er heißt lp-4", "Mein Drucker heißt lp-4"},
		{"mi presupuesto es de 150 euros", "es de 200 euros", "mi presupuesto es de 200 euros"},
	} {
		must.Equal(t, c[2], lang.ApplyCorrection(c[0], c[1]))
	}
}

func TestWhatIsSaidAboutAThingCorrectsThatAlone(t *testing.T) {
	for _, c := range []struct {
		statement, right string
		can              bool
	}{
		{"the rent is 1150 a month", "about tank 5, it holds 1900 not 1800", false},
		{"tank 5 holds 1800", "about tank 5, it holds 1900 not 1800", true},
		{"my printer is lp-3", "it is lp-4", true},
	} {
		if got := lang.CanCorrect(c.statement, c.right); got != c.can {
			t.Errorf("%q corrects %q: %v", c.right, c.statement, got)
		}
	}
}
