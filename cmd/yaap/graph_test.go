package main

import (
	"path/filepath"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestTheRoomIsDrawnWithWhoMayAskWhom(t *testing.T) {
	model := ollamatest.New(t)
	home := t.TempDir()
	dir := filepath.Join(home, "XDG_CONFIG_HOME", "yaap")
	write(t, filepath.Join(dir, "config.yaml"), "memory: false\nbuiltin: [calc, clock]\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n")
	write(t, filepath.Join(dir, "agents", "reviewer.md"), "---\ndescription: Reviews code.\ntools: [calc]\nhandoffs: [tester]\n---\nReview.\n")
	write(t, filepath.Join(dir, "agents", "tester.md"), "---\ndescription: Tests code.\n---\nTest.\n")
	s := openScreenIn(t, home, 119, 120, options{})
	s.see(`calc, clock are in the room`)
	s.enter("/agents")
	s.see(`yaap +ollama/scripted:1b +all +reviewer, tester +answers`)
	s.see(`reviewer +ollama/scripted:1b +calc +tester +Reviews code`)
	s.enter("/graph")
	s.see(`○ yaap +│`)
	s.see(`agent ollama/scripted:1b`)
	s.see(`○ calc +│.*○ clock`)
	s.enter("/graph --mermaid")
	s.see(`flowchart`)
	s.enter("/graph --dot")
	s.see(`digraph`)
}

func TestTheLastRunIsDrawnAsLifelines(t *testing.T) {
	s := openScreen(t, 110, 60)
	s.see(`calc.* in the room`)
	s.enter("/diagram")
	s.see("nothing has run|ask something")
	s.enter("what is 12% of 840?")
	s.see(`100\.8`)
	s.ready()
	s.enter("/diagram")
	s.see(`you +yaap +calc`)
	s.see(`│─+▶│`)
	s.enter("/diagram --mermaid")
	s.see("sequenceDiagram")
}

func TestADrawingOfARunFitsInAChatOf80(t *testing.T) {
	long := "the models are being loaded, which takes longer than anybody has the patience for"
	model := ollamatest.New(t, ollamatest.Reply{Status: 503, Error: long, Forever: true})
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"), "memory: false\nbuiltin: [calc]\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n")
	s := openScreenIn(t, home, 80, 60, options{})
	s.see(`in the room`)
	s.enter("what is it?")
	s.see(`r tries again`)
	s.enter("/diagram")
	s.see(`│ · tries again: [^\n]*… *\n`)
}
