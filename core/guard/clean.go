package guard

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Clean returns v with the secrets in its strings masked, at any depth, and their number. The types stay what they are:
// structs, pointers, lists and maps are copied where something in them changes, and v itself is not changed. A string or
// [json.RawMessage] that is JSON is JSON afterwards. What is kept under a key such as password in JSON or in a
// map[string]any is masked as by [MaskValue]. Fields that are not exported, functions and channels stay.
func Clean[T any](v T) (clean T, n int) {
	w := Policy{Secrets: Redact}.pass()
	m := masker{pass: &w}
	in := reflect.ValueOf(&v).Elem()
	if out := m.clean(in, 0); w.found > 0 {
		reflect.ValueOf(&clean).Elem().Set(out)
		return clean, w.found
	}
	return v, 0
}

// clean returns v, or a copy of it if something in it is masked.
func (m *masker) clean(v reflect.Value, depth int) reflect.Value {
	if depth > maxDepth {
		return v
	}
	switch v.Kind() {
	case reflect.String:
		return m.cleanString(v)
	case reflect.Struct:
		return m.cleanStruct(v, depth)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		before := m.found
		elem := m.clean(v.Elem(), depth+1)
		if m.found == before || v.Kind() == reflect.Interface {
			return ifChanged(m.found > before, elem, v)
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(elem)
		return out
	case reflect.Slice:
		return m.cleanSlice(v, depth)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String || v.Len() == 0 {
			return v
		}
		before := m.found
		out := reflect.ValueOf(m.value(v.Interface(), "", depth))
		return ifChanged(m.found > before && out.Type() == v.Type(), out, v)
	}
	return v
}

func ifChanged(changed bool, out, v reflect.Value) reflect.Value {
	if changed {
		return out
	}
	return v
}

func (m *masker) cleanString(v reflect.Value) reflect.Value {
	s, before := v.String(), m.found
	if len(s) < 4 {
		return v
	}
	if bare := strings.TrimLeft(s, " \n"); bare != "" && (bare[0] == '{' || bare[0] == '[') && json.Valid([]byte(s)) {
		s = string(m.json([]byte(s)))
	} else {
		s = m.text(s)
	}
	if m.found == before {
		return v
	}
	return reflect.ValueOf(s).Convert(v.Type())
}

func (m *masker) cleanStruct(v reflect.Value, depth int) reflect.Value {
	out := v
	for i := range v.NumField() {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() || !holdsText(f.Kind()) {
			continue
		}
		before := m.found
		clean := m.clean(f, depth+1)
		if m.found == before {
			continue
		}
		if out == v {
			out = reflect.New(v.Type()).Elem()
			out.Set(v)
		}
		out.Field(i).Set(clean)
	}
	return out
}

func (m *masker) cleanSlice(v reflect.Value, depth int) reflect.Value {
	if raw, ok := v.Interface().(json.RawMessage); ok {
		before := m.found
		if !m.mayHoldSecrets(raw) {
			return v
		}
		clean := m.json(raw)
		return ifChanged(m.found > before, reflect.ValueOf(json.RawMessage(clean)), v)
	}
	if !holdsText(v.Type().Elem().Kind()) {
		return v
	}
	out := v
	for i := range v.Len() {
		before := m.found
		clean := m.clean(v.Index(i), depth+1)
		if m.found == before {
			continue
		}
		if out == v {
			out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
		}
		out.Index(i).Set(clean)
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

// mayHoldSecrets is false if JSON holds neither a secret nor a key that one is kept under. It spares reading most of it.
func (m *masker) mayHoldSecrets(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	s := string(raw)
	sc := newScanner(s)
	if _, found := sc.next(); found || strings.Contains(s, `\u`) {
		return true
	}
	for i := strings.IndexByte(s, ':'); i >= 0; {
		if key := strings.TrimRight(s[max(0, i-64):i], " \n\t\""); key != "" {
			if n, ok := sc.r.named(key[strings.LastIndexByte(key, '"')+1:]); ok && n.isSure() {
				return true
			}
		}
		next := strings.IndexByte(s[i+1:], ':')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}
