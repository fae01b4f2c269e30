// Package guard finds what should not be written down or go on. It knows
//
//   - secrets: keys, tokens and passwords, by the formats of those who issue them,
//     the names that they are kept under, the programs that take them and the
//     sentences that tell them. All of this is data: the files of rules, in
//     which an issuer is a line,
//   - personal data: email addresses, phone numbers, bank accounts, payment cards,
//   - injection: instructions to a model where data is expected.
//
// [Mask] and [Clean] hide secrets in texts and values that leave a
// run, [Stream] in a text that arrives in pieces. A [Policy] says what is done
// about each of the three where a model is at work.
//
// All functions are pure, may be called by several goroutines, never panic, and
// take time in proportion to the length of their input. Text without
// findings is returned as it is, and without an allocation if all of its letters are seen.
//
// No detector is complete: what is kept out of a log is only what has a known
// format or stands where a secret is expected.
package guard

// Finding is what was found in a text: s[Start:End] is what has to be hidden,
// without the key or the quotes around it.
type Finding struct {
	Kind       string // such as "aws_access_key"
	Start, End int    // in bytes
}

// findSecrets returns the secrets in s in order. They do not overlap.
func findSecrets(s string) []Finding {
	var found []Finding
	sc := newScanner(s)
	for f, ok := sc.next(); ok; f, ok = sc.next() {
		found = append(found, f)
	}
	return found
}

// Mask returns s with each secret replaced by "[secret: kind]", and their
// number. What it returns holds no more secrets: Mask(Mask(s)) is Mask(s).
func Mask(s string) (masked string, n int) {
	w := Policy{Secrets: Redact}.pass()
	return w.text(s), w.found
}
