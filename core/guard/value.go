package guard

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxDepth is how deep a value is looked at. What lies deeper is masked.
const maxDepth = 100

// MaskValue returns a copy of v in which secrets are masked, and their number.
// It looks at the strings in maps and lists at any depth, and at the keys. What
// is kept under a key such as password, token or api_key is masked whatever it
// looks like, unless it is empty, true or false, or obviously a placeholder.
//
// Values are those of JSON: strings, []byte, json.RawMessage, json.Number,
// numbers, booleans, nil, maps by strings and lists of them. Maps and lists of
// another type than map[string]any and []any become those, except for
// map[string]string and []string. Others, such as structs, are returned as
// they are. The argument is not changed.
func MaskValue(v any) (any, int) {
	w := Policy{Secrets: Redact}.pass()
	m := masker{pass: &w}
	v = m.value(v, "", 0)
	return v, w.found
}

type masker struct {
	*pass
	keys int // of the objects that were looked at
}

func (m *masker) mark(kind string) string { return m.pass.mark(secrets, kind) }

// secret masks s, which is kept under a key for secrets of that kind, or under
// any other if it is empty.
func (m *masker) secret(s, kind string) string {
	if !isSecretKind(kind) {
		return m.named(s, kind)
	}
	bare := strings.TrimSpace(s)
	if bare == "" || markLen(bare) == len(bare) || isTemplate(bare) || isPlaceholder(bare) {
		return m.text(s)
	}
	return m.mark(rules().whole(bare, kind))
}

// named looks at s as if the name of what it is were before it.
func (m *masker) named(s, name string) string {
	if name == "" {
		return m.text(s)
	}
	return strings.TrimPrefix(m.text(name+": "+s), name+": ")
}

// number returns v, of which literal is the text, or what stands in its place.
func (m *masker) number(v any, literal, kind string) any {
	if isSecretKind(kind) {
		return m.mark(kind)
	}
	if m.looksFor(personal) {
		if s := m.named(literal, kind); s != literal {
			return s
		}
	}
	return v
}

func (m *masker) value(v any, kind string, depth int) any {
	if depth > maxDepth {
		return m.unread()
	}
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		return m.secret(v, kind)
	case []byte:
		if v == nil {
			return v
		}
		return []byte(m.secret(string(v), kind))
	case json.RawMessage:
		return m.raw(v, kind, depth)
	case map[string]string:
		if v == nil {
			return v
		}
		out := make(map[string]string, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out[freeKey(m, out, key)] = m.secret(v[key], m.under(key, kind))
		}
		return out
	case []string:
		out := slices.Clone(v)
		for i, s := range out {
			out[i] = m.secret(s, kind)
		}
		return out
	case json.Number:
		return m.number(v, string(v), kind)
	case int:
		return m.number(v, strconv.Itoa(v), kind)
	case int64:
		return m.number(v, strconv.FormatInt(v, 10), kind)
	case float64:
		return m.number(v, strconv.FormatFloat(v, 'f', -1, 64), kind)
	}
	return m.other(reflect.ValueOf(v), kind, depth)
}

// other is for maps and lists, of whatever type.
func (m *masker) other(v reflect.Value, kind string, depth int) any {
	switch v.Kind() {
	case reflect.String:
		return reflect.ValueOf(m.secret(v.String(), kind)).Convert(v.Type()).Interface()
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			return v.Interface()
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = m.value(v.Index(i).Interface(), kind, depth+1)
		}
		return out
	case reflect.Map:
		if v.IsNil() || v.Type().Key().Kind() != reflect.String {
			return v.Interface()
		}
		return m.object(v, kind, depth)
	case reflect.Bool, reflect.Struct, reflect.Pointer:
		return v.Interface()
	}
	if isSecretKind(kind) {
		return m.mark(kind)
	}
	return v.Interface()
}

func (m *masker) object(v reflect.Value, kind string, depth int) any {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	out := make(map[string]any, len(keys))
	if isSchema(v) {
		kind = ""
	}
	for _, k := range keys {
		key := k.String()
		out[freeKey(m, out, key)] = m.value(v.MapIndex(k).Interface(), m.under(key, kind), depth+1)
	}
	return out
}

// raw masks JSON, and what is none as text.
func (m *masker) raw(v json.RawMessage, kind string, depth int) any {
	if v == nil {
		return v
	}
	before := m.found
	if decoded, ok := decode(v); ok {
		masked := m.value(decoded, kind, depth+1)
		if m.found == before {
			return slices.Clone(v)
		}
		if out, err := json.Marshal(masked); err == nil {
			return json.RawMessage(out)
		}
	}
	out, err := json.Marshal(m.secret(string(v), kind))
	if err != nil || m.found == before {
		return slices.Clone(v)
	}
	return json.RawMessage(out)
}

// freeKey masks a key of a map of which out is there so far. Two keys that are
// masked alike stay two.
func freeKey[V any](m *masker, out map[string]V, key string) string {
	m.keys++
	masked := m.text(key)
	for free, n := masked, len(out); ; n++ {
		if _, taken := out[free]; !taken {
			return free
		}
		free = masked + " " + strconv.Itoa(n)
	}
}

// under is the kind of the secrets under key, or what else the key says of what
// is under it. If it says nothing, that is as for the map around it.
func (m *masker) under(key, kind string) string {
	if strings.Contains(key, "[") && holdsMark(key, 0, len(key)) {
		return kind // the mark names a kind, not what is under it
	}
	if m.looksFor(secrets) {
		if n, ok := rules().named(key); ok && n.isSure() {
			return n.kind
		}
		if n, ok := rules().named(strings.TrimSuffix(key, "s")); ok && n.isSure() && n.kind != kindToken {
			return n.kind
		}
	}
	if m.looksFor(personal) && !isSecretKind(kind) {
		if name := nameBefore(key); name != "" {
			return name
		}
	}
	return kind
}

// isSchema reports whether v describes a value, as the schemas of tools do,
// rather than being one.
func isSchema(v reflect.Value) bool {
	k := reflect.ValueOf("type").Convert(v.Type().Key())
	e := v.MapIndex(k)
	if !e.IsValid() {
		return false
	}
	if e.Kind() == reflect.Interface {
		e = e.Elem()
	}
	if e.Kind() != reflect.String {
		return false
	}
	switch e.String() {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return true
	}
	return false
}
