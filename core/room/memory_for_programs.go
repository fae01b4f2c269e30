package room

import (
	"path/filepath"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/prompts"
)

// memoryPrompts are what the memory agent is instructed with: those of the
// configuration directory, and the embedded ones.
func memoryPrompts(cfg config.Config) (memory.Prompts, error) {
	dir := ""
	if cfg.File != "" {
		dir = filepath.Join(filepath.Dir(cfg.File), "prompts")
	}
	chat, err := prompts.LoadChat(dir)
	if err != nil {
		return memory.Prompts{}, core.Fail(core.CodeInvalid, "a prompt of yours cannot be used", "mend the file, or remove it: then the built-in prompt is used").Because(err)
	}
	return memory.Prompts(chat), nil
}

func (r *Room) toolsConfig(rules memory.Prompts) memory.ToolsConfig {
	return memory.ToolsConfig{
		Store: r.memory.meaning, Directory: r.store, Memory: r.memory.memory, Prompts: rules, Asker: r.chat,
		Await: r.memory.Await, Off: r.memory.off.Load,
	}
}

// openPrompts are the prompts that other programs may read.
func openPrompts(rules memory.Prompts) []server.Prompt {
	texts := rules.ByName()
	list := make([]server.Prompt, 0, len(texts))
	for name, about := range map[string]string{
		"entry_capture_prompt": "How messages are recorded in a memory.",
		"summary_prompt":       "How the summary of an entry is written.",
		"context_prompt":       "How the context of a memory is written.",
	} {
		list = append(list, server.Prompt{Name: name, Description: about, Text: texts[name]})
	}
	return list
}
