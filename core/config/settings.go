package config

// Setting is a key of the configuration file.
type Setting struct{ Name, Does string }

// Settings are the keys that the configuration file may have.
func Settings() []Setting {
	return []Setting{
		{"model", "the model that answers: offline, or ollama/NAME"},
		{"fallback", "the models that answer, in order, when the model fails"},
		{"builtin", "the built-in experts that come, where not all shall"},
		{"experts", "the experts that are there from the start, each with its command"},
		{"runner", "who answers: agent/yaap, or chain/NAME"},
		{"chains", "the chains that the agent may call as tools"},
		{"approve", "what is asked about each time, whatever it claims to do"},
		{"guard", "what is looked for in what passes: secrets, personal data"},
		{"memory", "whether conversations are remembered: true or false"},
		{"memory_embeddings", "the model of Ollama by which the memory is searched by meaning, or none"},
		{"memory_every", "the messages until the context of the memory is written anew, 1 to 50"},
		{"bid_ms", "how long experts have to say what they read in a question, in milliseconds; 100 by default"},
		{"max_turns", "the turns that one answer may take, 1 to 100"},
		{"re_asks", "how often an unreadable answer is asked for again, 0 to 2"},
		{"ephemeral", "whether nothing is kept when the program ends"},
	}
}
