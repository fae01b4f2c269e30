// Program gosdk is what people write with the Go SDK of MCP: an editor that uses the
// room, and a server that an expert of a room is. It is a module of its own.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	switch os.Args[1] {
	case "edit":
		edit(os.Args[2])
	case "stdio":
		must(pond().Run(context.Background(), &mcp.StdioTransport{}))
	case "web":
		web()
	}
}

// edit is an editor that passes on nothing but HOME and PATH.
func edit(dir string) {
	ctx := context.Background()
	changed := make(chan struct{}, 1)
	told := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case changed <- struct{}{}:
			default:
			}
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Message },
	})
	room := exec.Command("yaap", "mcp", "--dir", dir, "--builtin", "calc,clock")
	room.Env = []string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH")}
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: room}, nil)
	must(err)
	for {
		list, err := session.ListTools(ctx, nil)
		must(err)
		here := func(name string) bool {
			return slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == name })
		}
		if here("chat") && here("calc") && here("clock") {
			break
		}
		<-changed
	}
	sum, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "calc", Arguments: map[string]any{"prompt": "12% of 840"}})
	must(err)
	fmt.Println("calc:", sum.StructuredContent.(map[string]any)["message"])
	params := &mcp.CallToolParams{Name: "chat", Arguments: map[string]any{"prompt": "12% of 840"}}
	params.SetProgressToken("p1")
	answer, err := session.CallTool(ctx, params)
	must(err)
	fmt.Println("chat:", answer.StructuredContent.(map[string]any)["status"], <-told)
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "yaap://experts"})
	must(err)
	var experts []struct{ Name string }
	must(json.Unmarshal([]byte(read.Contents[0].Text), &experts))
	var names []string
	for _, e := range experts {
		names = append(names, e.Name)
	}
	fmt.Println("experts:", strings.Join(names, ", "))
	must(session.Close())
}

type bird struct {
	Species string `json:"species" jsonschema:"the species"`
	Limit   int    `json:"limit,omitempty"`
}

type count struct {
	Birds int `json:"birds"`
}

func pond() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "pond", Version: "1"}, &mcp.ServerOptions{Instructions: "Counts the birds of a pond."})
	mcp.AddTool(server, &mcp.Tool{Name: "count", Description: "Counts birds.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, b bird) (*mcp.CallToolResult, count, error) {
			return nil, count{Birds: len(b.Species) + b.Limit}, nil
		})
	return server
}

// web serves over HTTP, in the way of today and in that of 2024, until its standard
// input ends.
func web() {
	server := pond()
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	fmt.Println(httptest.NewServer(mux).URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
