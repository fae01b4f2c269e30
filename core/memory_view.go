package core

import "time"

// MemoryQuery asks for a memory and what is in it.
type MemoryQuery struct {
	Memory string // id; empty: the room's own
	Search string // words to find in it, with a star for the rest of one; empty: none
	Before int64  // entries before this place; 0: the newest
	// Sources asks for the entries that the context comes from, too.
	Sources bool
}

// Source is an entry that a note of a context comes from.
type Source struct {
	Note  string // as the context says it
	Entry Entry
}

// MemoryView is what is remembered, and how far that is.
type MemoryView struct {
	Vaults    []Vault
	Memories  []Memory
	Chosen    Memory       // the one that all below is about
	Entries   []Entry      // the newest, or those before the place asked for
	Found     []Found      // the best first
	Contexts  []ContextDoc // versions of the context
	Sources   []Source     // of the newest version, where they were asked for
	Waiting   int          // messages without an entry
	Messages  []Entry      // the last of these, the newest first, as entries without a place
	NextFlush int          // messages until the context is written again; 0: unknown
	Flushed   time.Time    // when it was written last
	Failure   string       // why nothing can be remembered now; empty: all is well
	Off       bool         // nothing is to be remembered
	Broken    error        // why searches go by words alone, though a model is wanted; nil: all is well
	Mode      string       // by what searches go, such as words
}
