package tui

// place is where a key works.
type place int

const (
	everywhere place = iota
	inInput
	inChat
	inInspector
	inApproval // of the others, those work that only show something
	inShow     // in the place of the input, while a conversation is shown again
	inReader   // in a table or code that is open
)

// action is what a key does.
type action int

const (
	actNone action = iota
	actSend
	actNewline
	actModel
	actEditor
	actSuspend
	actStop
	actInterrupt
	actEOF
	actPalette
	actHelp
	actQuestion
	actLeader
	actContinue
	actDetail
	actNew
	actSessions
	actSearch
	actOlder
	actNewer
	actTakeBack
	actQueue
	actSteer
	actAttach
	actReplay
	actNextPane
	actPrevPane
	actPageUp
	actPageDown
	actDown
	actUp
	actHalfDown
	actHalfUp
	actTop
	actBottom
	actFold
	actCopy
	actCopyAnswer
	actCopyWhole
	actRetry
	actSort
	actTheme
	actMouse
	actOpenThing
	actLookAt
	actFind
	actFindNext
	actFindPrev
	actOpen
	actFull
	actFilter
	actLeft
	actRight
	actOlderRun
	actNewerRun
	actCancelRun
	actForkRun
	actRefresh
	actLook
	actMemories
	actAllow
	actAllowSession
	actAllowAlways
	actDeny
	actEdit
	actChoose
	actPause
	actStep
	actBack
	actFaster
	actSlower
)

// rows are by how many an action moves in what shows a page of them, down when positive.
func (a action) rows(half, page int) int {
	switch a {
	case actUp:
		return -1
	case actDown:
		return 1
	case actHalfUp:
		return -half
	case actHalfDown:
		return half
	case actPageUp:
		return -page
	case actPageDown:
		return page
	}
	return 0
}

// binding is one line of the key table, from which help, the hints and the
// leader's popup are made.
type binding struct {
	keys   []string
	where  place
	do     action
	help   string
	leader string // the key after ctrl+x that does the same
}

// keyTable lists every key but those of readline that the input itself knows.
func keyTable() []binding {
	table := []binding{
		{keys: []string{"enter"}, where: inInput, do: actSend, help: "send; queue while a turn runs; again: give it to that turn"},
		{keys: []string{"shift+enter", "alt+enter", "ctrl+j"}, where: inInput, do: actNewline, help: "new line"},
		{keys: []string{digits}, where: inInput, do: actChoose, help: "send that option of what was asked, when the input is empty"},
		{keys: []string{"up"}, where: inInput, do: actOlder, help: "what you typed before"},
		{keys: []string{"down"}, where: inInput, do: actNewer, help: "what you typed after"},
		{keys: []string{"alt+up"}, where: everywhere, do: actTakeBack, help: "take the last queued prompt back"},
		{keys: []string{"ctrl+r"}, where: everywhere, do: actSearch, help: "search what you typed", leader: "r"},
		{keys: []string{"tab"}, where: everywhere, do: actNextPane, help: "accept the completion, else next pane"},
		{keys: []string{"shift+tab"}, where: everywhere, do: actPrevPane, help: "previous pane"},
		{keys: []string{"esc"}, where: everywhere, do: actStop, help: "close; stop the run after its calls; twice: at once"},
		{keys: []string{"ctrl+c"}, where: everywhere, do: actInterrupt, help: "clear the input, then stop the run, then quit"},
		{keys: []string{"ctrl+d"}, where: inInput, do: actEOF, help: "quit, when the input is empty"},
		{keys: []string{"ctrl+p"}, where: everywhere, do: actPalette, help: "all commands", leader: "p"},
		{keys: []string{"f1"}, where: everywhere, do: actHelp, help: "this help", leader: "h"},
		{keys: []string{"?"}, where: everywhere, do: actQuestion, help: "this help, when the input is empty"},
		{keys: []string{"ctrl+x"}, where: everywhere, do: actLeader, help: "leader: the next key chooses"},
	}
	for i, row := range paneTable() {
		table = append(table, binding{keys: []string{row.key}, where: everywhere, do: opens(i), help: row.help, leader: row.leader})
	}
	table = append(table, []binding{
		{keys: []string{"ctrl+t"}, where: everywhere, do: actDetail, help: "detail: calm, thoughts, everything", leader: "t"},
		{keys: []string{"ctrl+n"}, where: everywhere, do: actNew, help: "new session", leader: "n"},
		{keys: []string{"ctrl+g"}, where: everywhere, do: actEditor, help: "write the prompt in $EDITOR", leader: "g"},
		{keys: []string{"ctrl+z"}, where: everywhere, do: actSuspend, help: "to the shell; fg comes back"},
		{keys: []string{"ctrl+l"}, where: everywhere, do: actModel, help: "the model that answers", leader: "l"},
		{keys: []string{"ctrl+s"}, where: everywhere, do: actSessions, help: "sessions", leader: "s"},
		{keys: []string{"pgup"}, where: everywhere, do: actPageUp, help: "scroll up"},
		{keys: []string{"pgdown"}, where: everywhere, do: actPageDown, help: "scroll down"},

		{keys: []string{"j", "down"}, where: inChat, do: actDown, help: "next"},
		{keys: []string{"k", "up"}, where: inChat, do: actUp, help: "previous"},
		{keys: []string{"d"}, where: inChat, do: actHalfDown, help: "half a page down"},
		{keys: []string{"u"}, where: inChat, do: actHalfUp, help: "half a page up"},
		{keys: []string{"g", "home"}, where: inChat, do: actTop, help: "to the start"},
		{keys: []string{"G", "end"}, where: inChat, do: actBottom, help: "to the end, and follow"},
		{keys: []string{"space"}, where: inChat, do: actFold, help: "fold or open"},
		{keys: []string{"y"}, where: inChat, do: actCopy, help: "copy the code of an answer, its long table as CSV, or else all of it"},
		{keys: []string{"Y"}, where: inChat, do: actCopyWhole, help: "copy all of it"},
		{keys: []string{"o"}, where: inChat, do: actOpenThing, help: "open a table, code, or a file of an answer, or an attached one"},
		{keys: []string{"r"}, where: inChat, do: actRetry, help: "ask again what failed"},
		{keys: []string{"enter"}, where: inChat, do: actLookAt, help: "look at the picture on the whole screen"},
		{keys: []string{"/"}, where: inChat, do: actFind, help: "find in all of the conversation"},
		{keys: []string{"n"}, where: inChat, do: actFindNext, help: "find the next"},
		{keys: []string{"N"}, where: inChat, do: actFindPrev, help: "find the previous"},

		{keys: []string{"j", "down"}, where: inInspector, do: actDown, help: "next"},
		{keys: []string{"k", "up"}, where: inInspector, do: actUp, help: "previous"},
		{keys: []string{"d"}, where: inInspector, do: actHalfDown, help: "half a page down"},
		{keys: []string{"u"}, where: inInspector, do: actHalfUp, help: "half a page up"},
		{keys: []string{"g", "home"}, where: inInspector, do: actTop, help: "to the first"},
		{keys: []string{"G", "end"}, where: inInspector, do: actBottom, help: "to the last, and follow"},
		{keys: []string{"enter"}, where: inInspector, do: actOpen, help: "open or close the detail"},
		{keys: []string{"space"}, where: inInspector, do: actFold, help: "fold or open a run"},
		{keys: []string{"y"}, where: inInspector, do: actCopy, help: "copy"},
		{keys: []string{"o"}, where: inInspector, do: actFull, help: "full screen"},
		{keys: []string{"/"}, where: inInspector, do: actFilter, help: "filter; memory: search"},
		{keys: []string{"l", "right"}, where: inInspector, do: actRight, help: "chain: input, output, thought, attempts of the node; memory: entries, context"},
		{keys: []string{"h", "left"}, where: inInspector, do: actLeft, help: "the same, backwards"},
		{keys: []string{"["}, where: inInspector, do: actOlderRun, help: "chain: the run before; memory: the version before"},
		{keys: []string{"]"}, where: inInspector, do: actNewerRun, help: "chain: the run after; memory: the version after"},
		{keys: []string{"c"}, where: inInspector, do: actCancelRun, help: "chain: cancel the run (asks first)"},
		{keys: []string{"f"}, where: inInspector, do: actForkRun, help: "chain: fork the run here"},
		{keys: []string{"m"}, where: inInspector, do: actMemories, help: "memory: choose another one"},
		{keys: []string{"x"}, where: inInspector, do: actLook, help: "wire: end looking, or begin again"},
		{keys: []string{"r"}, where: inInspector, do: actRefresh, help: "audit, memory: read again"},

		{keys: []string{"a"}, where: inApproval, do: actAllow, help: "allow once"},
		{keys: []string{"s"}, where: inApproval, do: actAllowSession, help: "allow in this conversation"},
		{keys: []string{"w"}, where: inApproval, do: actAllowAlways, help: "always allow in this directory"},
		{keys: []string{"d", "esc"}, where: inApproval, do: actDeny, help: "deny"},
		{keys: []string{"e"}, where: inApproval, do: actEdit, help: "edit what it is given"},
		{keys: []string{"up", "k"}, where: inApproval, do: actUp, help: "scroll up"},
		{keys: []string{"down", "j"}, where: inApproval, do: actDown, help: "scroll down"},
		{keys: []string{"pgup"}, where: inApproval, do: actPageUp, help: "a page up"},
		{keys: []string{"pgdown"}, where: inApproval, do: actPageDown, help: "a page down"},

		{keys: []string{"space"}, where: inShow, do: actPause, help: "pause, or go on; at the end: from the beginning"},
		{keys: []string{"right", "l", "n", "enter"}, where: inShow, do: actStep, help: "pause, and one step on"},
		{keys: []string{"left", "h"}, where: inShow, do: actBack, help: "pause, and one step back"},
		{keys: []string{"+", "="}, where: inShow, do: actFaster, help: "faster"},
		{keys: []string{"-"}, where: inShow, do: actSlower, help: "slower"},
		{keys: []string{"["}, where: inShow, do: actOlderRun, help: "to the beginning of the question, or of the one before"},
		{keys: []string{"]"}, where: inShow, do: actNewerRun, help: "to the question after"},
		{keys: []string{digits}, where: inShow, do: actChoose, help: "to that question"},
		{keys: []string{"g", "home"}, where: inShow, do: actTop, help: "to the beginning"},
		{keys: []string{"G", "end"}, where: inShow, do: actBottom, help: "to the end"},
		{keys: []string{"k", "up"}, where: inShow, do: actUp, help: "scroll up"},
		{keys: []string{"j", "down"}, where: inShow, do: actDown, help: "scroll down"},
		{keys: []string{"q"}, where: inShow, do: actQuit, help: "leave"},
	}...)
	return append(table, readerKeys()...)
}

// readerKeys are those in a table or code that is open.
func readerKeys() []binding {
	return []binding{
		{keys: []string{"down", "j"}, where: inReader, do: actDown, help: "a row down"},
		{keys: []string{"up", "k"}, where: inReader, do: actUp, help: "a row up"},
		{keys: []string{"right", "l"}, where: inReader, do: actRight, help: "table: the next column; code: to the right"},
		{keys: []string{"left", "h"}, where: inReader, do: actLeft, help: "the same, backwards"},
		{keys: []string{"d"}, where: inReader, do: actHalfDown, help: "half a page down"},
		{keys: []string{"u"}, where: inReader, do: actHalfUp, help: "half a page up"},
		{keys: []string{"g", "home"}, where: inReader, do: actTop, help: "to the first"},
		{keys: []string{"G", "end"}, where: inReader, do: actBottom, help: "to the last"},
		{keys: []string{"s"}, where: inReader, do: actSort, help: "sort by the column; again: backwards; again: as it came"},
		{keys: []string{"/"}, where: inReader, do: actFilter, help: "only the rows with these words"},
		{keys: []string{"enter"}, where: inReader, do: actOpen, help: "all of the cell"},
		{keys: []string{"y"}, where: inReader, do: actCopy, help: "copy all of it, a table as CSV"},
		{keys: []string{"q"}, where: inReader, do: actStop, help: "back, as esc"},
	}
}

const digits = "1-9" // any of these keys

// keymap finds what a key does.
type keymap struct {
	own   Rebound
	table []binding
	by    map[place]map[string]action
	then  map[string]action // after the leader
}

// newKeymap is that of the user's own keys, or, where those cannot be, the one of the
// table.
func newKeymap(own Rebound) keymap {
	table, err := own.table()
	if err != nil {
		own, table = nil, keyTable()
	}
	k := keymap{own: own, table: table, by: map[place]map[string]action{}, then: map[string]action{}}
	for _, b := range table {
		if k.by[b.where] == nil {
			k.by[b.where] = map[string]action{}
		}
		for _, key := range b.keys {
			k.by[b.where][key] = b.do
		}
		if b.leader != "" {
			k.then[b.leader] = b.do
		}
	}
	return k
}

// find returns what a key does at a place. What works there goes before what
// works everywhere.
func (k keymap) find(at place, key string) action {
	if len(key) == 1 && key >= "1" && key <= "9" {
		key = digits
	}
	if do, ok := k.by[at][key]; ok {
		return do
	}
	return k.by[everywhere][key]
}
