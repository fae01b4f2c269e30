package guard

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxDepth is how deep a value is looked at. What lies deeper is masked.
const maxDepth = 100

// Clean is [Policy.Value] for secrets, and tells their number. Only what changes is copied, and nothing if nothing does.
func Clean[T any](v T) (clean T, n int) {
	w := Policy{Secrets: Redact}.pass()
	in := reflect.ValueOf(&v).Elem()
	if out := w.walk(in, "", 0); w.found > 0 {
		put(reflect.ValueOf(&clean).Elem(), out)
		return clean, w.found
	}
	return v, 0
}

func (w *pass) value(v any) any {
	if v == nil {
		return nil
	}
	w.copies = true
	return w.walk(reflect.ValueOf(v), "", 0).Interface()
}

// walk returns v, or a copy of it if something in it is masked. kind is what the key says that v is kept under: a kind of
// secrets or of personal data, or nothing.
func (w *pass) walk(v reflect.Value, kind string, depth int) reflect.Value {
	if depth > maxDepth {
		return reflect.ValueOf(w.unread())
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			return w.walk(v.Elem(), kind, depth)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return w.pointer(v, kind, depth)
		}
	case reflect.String:
		if v.Type() != reflect.TypeFor[json.Number]() {
			return changed(v, v.String(), w.str(v.String(), kind, depth))
		}
		return w.number(v, v.String(), kind)
	case reflect.Slice:
		return w.slice(v, kind, depth)
	case reflect.Map:
		if !v.IsNil() && v.Type().Key().Kind() == reflect.String {
			return w.object(v, kind, depth)
		}
	case reflect.Struct:
		return w.fields(v, depth)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		if isSecretKind(kind) || w.looksFor(personal) {
			literal, _ := json.Marshal(v.Interface())
			return w.number(v, string(literal), kind)
		}
	}
	return v
}

// changed is v, or text of the type of v if that is another than the text of v.
func changed[T string | []byte](v reflect.Value, before string, after T) reflect.Value {
	if before == string(after) {
		return v
	}
	return reflect.ValueOf(after).Convert(v.Type())
}

// put stores e in dst, or the zero value if e, which may be a mark, does not fit.
func put(dst, e reflect.Value) {
	if e.Type().AssignableTo(dst.Type()) {
		dst.Set(e)
	} else {
		dst.SetZero()
	}
}

func (w *pass) pointer(v reflect.Value, kind string, depth int) reflect.Value {
	before := w.found
	elem := w.walk(v.Elem(), kind, depth+1)
	if w.found == before && !w.copies {
		return v
	}
	out := reflect.New(v.Type().Elem())
	put(out.Elem(), elem)
	return out
}

func (w *pass) slice(v reflect.Value, kind string, depth int) reflect.Value {
	if v.IsNil() {
		return v
	}
	switch list := v.Interface().(type) {
	case json.RawMessage:
		return changed(v, string(list), w.raw(list, kind, depth))
	case []byte:
		return changed(v, string(list), []byte(w.str(string(list), kind, depth)))
	}
	out := v
	if !w.copies && !holdsText(v.Type().Elem().Kind()) {
		return v
	}
	for i := range v.Len() {
		before := w.found
		elem := w.walk(v.Index(i), kind, depth+1)
		if w.found == before && !w.copies {
			continue
		}
		if out == v {
			out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
		}
		put(out.Index(i), elem)
	}
	return out
}

func (w *pass) fields(v reflect.Value, depth int) reflect.Value {
	out := v
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() || !holdsText(v.Field(i).Kind()) {
			continue
		}
		before := w.found
		elem := w.walk(v.Field(i), "", depth+1)
		if w.found == before && !w.copies {
			continue
		}
		if out == v {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		put(out.Field(i), elem)
	}
	return out
}

func holdsText(k reflect.Kind) bool {
	switch k {
	case reflect.String, reflect.Struct, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	}
	return false
}

func (w *pass) object(v reflect.Value, kind string, depth int) reflect.Value {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	if isSchema(v) {
		kind = ""
	}
	before := w.found
	out := reflect.MakeMapWithSize(v.Type(), len(keys))
	for _, key := range keys {
		elem := reflect.New(v.Type().Elem()).Elem()
		put(elem, w.walk(v.MapIndex(key), w.under(key.String(), kind), depth+1))
		out.SetMapIndex(w.freeKey(out, key), elem)
	}
	if w.found == before && !w.copies {
		return v
	}
	return out
}

// isSchema reports whether v describes a value, as the schemas of tools do, rather than being one.
func isSchema(v reflect.Value) bool {
	e := v.MapIndex(reflect.ValueOf("type").Convert(v.Type().Key()))
	if e.IsValid() && e.Kind() == reflect.Interface {
		e = e.Elem()
	}
	if !e.IsValid() || e.Kind() != reflect.String {
		return false
	}
	switch e.String() {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return true
	}
	return false
}

// freeKey masks a key of a map of which out is there so far. Two keys that are masked alike stay two.
func (w *pass) freeKey(out, key reflect.Value) reflect.Value {
	w.keys++
	masked := w.text(key.String())
	free := changed(key, key.String(), masked)
	for n := out.Len(); out.MapIndex(free).IsValid(); n++ {
		free = reflect.ValueOf(masked + " " + strconv.Itoa(n)).Convert(key.Type())
	}
	return free
}

// under is the kind of the secrets under key, or what else the key says of what is under it. If it says nothing, that is as
// for the map around it.
func (w *pass) under(key, kind string) string {
	if FirstMark(key) != "" {
		return kind // the mark names a kind, not what is under it
	}
	if secret := kindUnder(key); secret != "" && w.looksFor(secrets) {
		return secret
	}
	if w.looksFor(personal) && !isSecretKind(kind) {
		if name := nameBefore(key); name != "" {
			return name
		}
	}
	return kind
}

// kindUnder is the kind of the secrets that are kept under key, whatever they look like.
func kindUnder(key string) string {
	for _, k := range [...]string{key, strings.TrimSuffix(key, "s")} {
		if n, ok := rules().named(k); ok && n.isSure() && (k == key || n.kind != kindToken) {
			return n.kind
		}
	}
	return ""
}

// str masks s, which is kept under a key for secrets of that kind, or under another. JSON is masked as what it holds.
func (w *pass) str(s, kind string, depth int) string {
	bare := strings.TrimSpace(s)
	switch {
	case isSecretKind(kind):
		if bare == "" || markLen(bare) == len(bare) || isTemplate(bare) || isPlaceholder(bare) || isSetting(bare, kind) {
			return w.text(s)
		}
		return w.mark(secrets, rules().whole(bare, kind))
	case bare != "" && (bare[0] == '{' || bare[0] == '[') && json.Valid([]byte(bare)):
		return string(w.json([]byte(s), kind, depth+1))
	}
	return w.named(s, kind)
}

// isSetting reports whether v, which is kept under a name of that kind, is a plain word, as no token is.
func isSetting(v, kind string) bool {
	return kind != kindPassword && len(v) >= 4 && len(v) <= 24 && rules().spoken.MatchString(v)
}

// named looks at s as if the name of what it is were before it.
func (w *pass) named(s, name string) string {
	if name == "" {
		return w.text(s)
	}
	return strings.TrimPrefix(w.text(name+": "+s), name+": ")
}

// number returns v, of which literal is the text, or what stands in its place.
func (w *pass) number(v reflect.Value, literal, kind string) reflect.Value {
	if isSecretKind(kind) {
		return reflect.ValueOf(w.mark(secrets, kind))
	}
	if w.looksFor(personal) {
		if s := w.named(literal, kind); s != literal {
			return reflect.ValueOf(s)
		}
	}
	return v
}

// raw masks what should be JSON, and is afterwards.
func (w *pass) raw(raw []byte, kind string, depth int) []byte {
	if !w.copies && !mayHoldSecrets(string(raw)) {
		return raw
	}
	before := w.found
	if isSecretKind(kind) && !json.Valid(raw) {
		raw = []byte(w.str(string(raw), kind, depth))
	} else {
		raw = w.json(raw, kind, depth+1)
	}
	if w.found > before && !json.Valid(raw) {
		raw, _ = json.Marshal(string(raw))
	}
	return raw
}

// json masks JSON, and what is none as text.
func (w *pass) json(raw []byte, kind string, depth int) []byte {
	before := w.found
	v, ok := decode(raw)
	if ok {
		keys := w.keys
		out := w.walk(reflect.ValueOf(&v).Elem(), kind, depth)
		twice := w.keys-keys != countKeys(raw)
		w.keys = keys
		if w.found == before && !twice {
			return raw
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(out.Interface()); err == nil {
			return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		}
	}
	clean := w.text(string(raw))
	switch {
	case w.found == before:
		return raw
	case !ok && json.Valid([]byte(clean)): // what made it invalid was found
		return w.json([]byte(clean), kind, depth)
	}
	return []byte(clean)
}

func decode(raw []byte) (any, bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil
}

// countKeys returns the number of keys in raw, which is JSON.
func countKeys(raw []byte) int {
	n, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\':
			i++
		case c == ':' && !quoted:
			n++
		}
	}
	return n
}

// mayHoldSecrets is false if JSON holds neither a secret nor a key that one is kept under. It spares reading most of it.
func mayHoldSecrets(s string) bool {
	sc := newScanner(s)
	if _, found := sc.next(); found || strings.Contains(s, `\u`) {
		return true
	}
	for part := range strings.SplitSeq(s, ":") {
		key := strings.TrimRight(part[max(0, len(part)-64):], " \n\t\"")
		if kindUnder(key[strings.LastIndexByte(key, '"')+1:]) != "" {
			return true
		}
	}
	return false
}
