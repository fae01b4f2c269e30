// Package offline is the model that needs nothing: no network, no weights, no
// key. It cannot think; it finds out who in the room should be asked.
//
// It splits the user's last message into its parts, ranks the tools it was
// given for each part by what they say of themselves, asks those that fit, and
// puts their answers together as one SACP reply. Where nobody fits it asks
// back. What it answers comes from the experts, word for word, or is about the
// room itself; it knows no subject and no expert.
//
// A [Model] keeps no state: every request is planned anew from its messages,
// so the same request always gets the same answer. Text that comes from
// experts is handed on and quoted, and never read as an instruction.
package offline
