#!/bin/sh
# NAME: an expert of yaap. It reads a line of JSON-RPC, and writes one.
#
#     yaap expert check -- sh FILE
#     yaap expert try "QUESTION" -- sh FILE
#     /experts add sh FILE        (in the chat)
about='Says hello to people by their names.' # what you know, in words that people use
schema='{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}'
hello='{"v":1,"name":"NAME","description":"'$about'","examples":["QUESTION"]}'
# readOnlyHint: it changes nothing. Without this the user is asked before each call.
tool='{"name":"NAME","description":"'$about'","inputSchema":'$schema',"annotations":{"readOnlyHint":true}}'

answer() { # answer PROMPT: one line, without quotes and backslashes
  who=$(printf '%s' "$1" | sed -n 's/^[Ss]ay hello to \([A-Za-z]*\).*/\1/p')
  printf 'Hello, %s!' "${who:-whoever you are}"
}

while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id": *\("[^"]*"\|[0-9][0-9]*\).*/\1/p')
  case $line in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","serverInfo":{"name":"NAME","version":"1"},"capabilities":{"tools":{},"experimental":{"yaap":'$hello'}}}' ;;
  *'"tools/list"'*) result='{"tools":['$tool']}' ;;
  *'"tools/call"'*'"NAME"'*)
    prompt=$(printf '%s' "$line" | sed -n 's/.*"prompt": *"\([^"\\]*\)".*/\1/p')
    result='{"content":[{"type":"text","text":"'$(answer "$prompt")'"}]}'
    ;;
  *'"ping"'*) result='{}' ;;
  *)
    # A notification has no id and wants no answer; what is not known is refused.
    [ -n "$id" ] && printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there is no such method here"}}\n' "$id"
    continue
    ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
