package lang

// File is the file of a language.
func File(id string) string {
	raw, err := files.ReadFile("words/" + id + ".txt")
	if err != nil {
		panic(err)
	}
	return string(raw)
}
