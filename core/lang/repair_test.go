package lang

import "testing"

func TestASlipThatIsPutRightAtOnceIsNotKept(t *testing.T) {
	for said, want := range map[string]string{
		"The safety stop must trigger within 80 ms, no, 60 ms, and that is final.": "The safety stop must trigger within 60 ms, and that is final.",
		"Telemetry goes out every 10 minutes, sorry, 15.":                          "Telemetry goes out every 15 minutes.",
		"The controller is an STM32G4, no wait, an STM32H7, the G4 is elsewhere.":  "The controller is an STM32H7, the G4 is elsewhere.",
		"we meet on Tuesday, no, Wednesday":                                        "we meet on Wednesday",
		"we meet on Tuesday, I mean on Wednesday at noon":                          "we meet on Tuesday, I mean on Wednesday at noon",
		"I have three, no, two things to do":                                       "I have two things to do",
		"our tutor is Mrs Hale, sorry, Mrs Halden":                                 "our tutor is Mrs Halden",
		"Der Akku hat nominal 36 Volt, quatsch, 48 Volt.":                          "Der Akku hat nominal 48 Volt.",
		"Das Budget sind 9.000 Euro, äh, 8.500.":                                   "Das Budget sind 8.500 Euro.",
		"Ansprechpartnerin ist Frau Sievers, nein, Frau Siemers.":                  "Ansprechpartnerin ist Frau Siemers.",
		"La reunión es el martes, perdón, el jueves":                               "La reunión es el jueves",
		"La fuga es de 3 litros, digo, 5 litros al día":                            "La fuga es de 5 litros al día",
		"no, it is 5":                           "no, it is 5",
		"we have 3 dogs, no cats":               "we have 3 dogs, no cats",
		"there are 12 rooms, no, I will not go": "there are 12 rooms, no, I will not go",
		"Ada likes tea, sorry, I have to run":   "Ada likes tea, sorry, I have to run",
	} {
		if got := Of(said).ApplySelfRepair(said); got != want {
			t.Errorf("%q is %q, not %q", said, got, want)
		}
	}
}
