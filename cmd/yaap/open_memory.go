package main

import (
	"path/filepath"

	"yaap/core"
	"yaap/core/config"
	"yaap/core/memory"
	"yaap/prompts"
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
		return memory.Prompts{}, &core.Error{
			Code: core.CodeInvalid, Op: "prompts", Message: "a prompt of yours cannot be used",
			Hint: "mend the file, or remove it: then the built-in prompt is used", Err: err,
		}
	}
	return memory.Prompts(chat), nil
}
