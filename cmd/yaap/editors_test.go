package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// editorOfTheSDK is an editor as people write one with the TypeScript SDK of MCP. It
// passes on nothing but HOME and PATH.
const editorOfTheSDK = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const client = new Client({ name: "editor", version: "1" });
let changed = () => {};
client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed());
await client.connect(new StdioClientTransport({
  command: "yaap", args: ["mcp", "--dir", process.argv[2], "--builtin", "calc,clock"],
  env: { HOME: process.env.HOME, PATH: process.env.PATH },
}));
for (;;) {
  const next = new Promise((resolve) => { changed = resolve; });
  const { tools } = await client.listTools();
  if (["chat", "calc", "clock"].every((name) => tools.some((t) => t.name === name))) break;
  await next;
}
const sum = await client.callTool({ name: "calc", arguments: { prompt: "12% of 840" } });
console.log("calc:", sum.structuredContent.message);
const told = [];
const answer = await client.callTool({ name: "chat", arguments: { prompt: "12% of 840" } }, undefined, { onprogress: (p) => told.push(p.message) });
console.log("chat:", answer.structuredContent.status, told[0]);
const { contents } = await client.readResource({ uri: "yaap://experts" });
console.log("experts:", JSON.parse(contents[0].text).map((e) => e.name).join(", "));
const { prompts } = await client.listPrompts();
console.log("prompts:", prompts.length);
await client.close();
`

// It needs the packages that .ci/npm installs.
func TestAnEditorOfTheOfficialSDKUsesTheRoom(t *testing.T) {
	npm := os.Getenv("YAAP_NPM")
	if npm == "" {
		t.Skip("NOT RUN: it needs node and the SDK from npm; YAAP_NPM=$(.ci/npm) installs them")
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "editor.mjs")
	must.Do(t, os.WriteFile(script, []byte(editorOfTheSDK), 0o600))
	must.Do(t, os.Symlink(filepath.Join(npm, "node_modules"), filepath.Join(dir, "node_modules")))
	editor := exec.CommandContext(t.Context(), "node", script, dir)
	editor.Env = append(os.Environ(), "HOME="+dir)
	out, err := editor.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{"calc: **100.8** = 12% × 840", "chat: success calc is asked", "experts: calc, clock", "prompts: 3"} {
		if !strings.Contains(string(out), line+"\n") {
			t.Errorf("it does not say %q:\n%s", line, out)
		}
	}
}
