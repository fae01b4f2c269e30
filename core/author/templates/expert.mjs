// NAME: an expert of yaap. It reads a line of JSON-RPC, and writes one.
//
//     yaap expert check -- node FILE
//     yaap expert try "QUESTION" -- node FILE
//     /experts add node FILE        (in the chat)
import { createInterface } from "node:readline";

const hello = {
  v: 1,
  name: "NAME",
  description: "Says hello to people by their names.", // what you know, in words that people use
  examples: ["QUESTION"],
  bids: true,
  output: "sacp",
};
const tool = {
  name: "NAME",
  description: hello.description,
  inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
  annotations: { readOnlyHint: true }, // it changes nothing: without this the user is asked before each call
};

/** What is asked, or undefined where the text is for somebody else.
 * @param {string} text */
function read(text) {
  return /^say hello to (\S+?)[?!.]*$/i.exec(text.trim())?.[1];
}

/** How much of the text you read, 0 to 1, and as what. null: it is not for you.
 * @param {string} text */
function bid(text) {
  const who = read(text);
  return who ? { score: 0.95, reads: `hello to ${who}` } : null;
}

/** @param {string} prompt */
function answer(prompt) {
  const who = read(prompt);
  return who
    ? { status: "success", message: `Hello, ${who}!`, data: { name: who } }
    : { status: "clarification_needed", message: "To whom shall I say hello?" };
}

/** @param {string} method
 * @param {any} params */
function handle(method, params) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        serverInfo: { name: "NAME", version: "1" },
        capabilities: { tools: {}, experimental: { yaap: hello } },
      };
    case "tools/list":
      return { tools: [tool] };
    case "tools/call":
      if (params.name === "yaap_bid") return { content: [], structuredContent: { bids: params.arguments.texts.map(bid) } };
      if (params.name === "NAME") return { content: [{ type: "text", text: JSON.stringify(answer(params.arguments.prompt)) }] };
      return undefined;
    case "ping":
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return; // a notification wants no answer
  const result = handle(message.method, message.params ?? {});
  const response = result ? { result } : { error: { code: -32601, message: `there is no ${message.method} here` } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...response })); // log with console.error
});
