package expr

// TypeName names the type of a value for people.
func TypeName(v any) string { return kindOf(v) }
