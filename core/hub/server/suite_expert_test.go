package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"
)

const (
	dot  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	beep = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// suiteExpert is an expert with the tools and the prompts that the suite calls: what
// it answers, asks and says passes through the room.
func suiteExpert() error {
	m := mcpserver.NewMCPServer("suite", "1", mcpserver.WithToolCapabilities(true), mcpserver.WithPromptCapabilities(true),
		mcpserver.WithLogging(), mcpserver.WithElicitation(), mcpserver.WithCompletions())
	m.EnableSampling()
	says := func(content ...mcp.Content) mcpserver.ToolHandlerFunc {
		return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		}
	}
	text, picture := mcp.NewTextContent("This is a simple text response for testing."), mcp.NewImageContent(dot, "image/png")
	file := mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "test://embedded-resource", MIMEType: "application/octet-stream", Blob: "AAECAw=="})
	for name, handle := range map[string]mcpserver.ToolHandlerFunc{
		"test_simple_text":            says(text),
		"test_image_content":          says(picture),
		"test_audio_content":          says(mcp.NewAudioContent(beep, "audio/wav")),
		"test_embedded_resource":      says(file),
		"test_multiple_content_types": says(text, picture, file),
		"test_error_handling": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		},
		"test_tool_with_progress": suiteProgress,
		"test_tool_with_logging":  suiteLogging,
		"test_elicitation":        suiteAsks(`{"type":"object","properties":{"username":{"type":"string","description":"User's response"},"email":{"type":"string"}},"required":["username","email"]}`),
		"test_elicitation_sep1034_defaults": suiteAsks(`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`),
		"test_elicitation_sep1330_enums": suiteAsks(`{"type":"object","properties":{
			"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`),
	} {
		m.AddTool(mcp.NewToolWithRawSchema(name, "A tool of the suite.", json.RawMessage(`{"type":"object","properties":{}}`)), handle)
	}
	m.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Has a schema with references.", json.RawMessage(`{
		"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)), says(text))
	suitePrompts(m)
	return mcpserver.ServeStdio(m)
}

func suiteProgress(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	pace := time.NewTicker(50 * time.Millisecond) // as one that works: the library may lose what comes with the answer
	defer pace.Stop()
	for i := range 3 {
		_ = mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": r.Params.Meta.ProgressToken, "progress": 50 * i, "total": 100, "message": fmt.Sprint("step ", i),
		})
		<-pace.C
	}
	return mcp.NewToolResultText("done"), nil
}

func suiteLogging(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		_ = mcpserver.ServerFromContext(ctx).SendNotificationToClient(ctx, "notifications/message", map[string]any{"level": "info", "data": line})
		<-pace.C
	}
	return mcp.NewToolResultText("done"), nil
}

func suiteAsks(schema string) mcpserver.ToolHandlerFunc {
	return func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var r mcp.ElicitationRequest
		r.Params.Message, r.Params.RequestedSchema = "Please say more.", json.RawMessage(schema)
		got, err := mcpserver.ServerFromContext(ctx).RequestElicitation(ctx, r)
		if err != nil {
			return nil, err
		}
		content, err := json.Marshal(got.Content)
		return mcp.NewToolResultText(fmt.Sprintf("User response: action=%s, content=%s", got.Action, content)), err
	}
}

func suitePrompts(m *mcpserver.MCPServer) {
	prompt := func(name string, args []string, content ...mcp.Content) {
		p := mcp.Prompt{Name: name, Description: "A prompt of the suite."}
		for _, a := range args {
			p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
		}
		m.AddPrompt(p, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			var messages []mcp.PromptMessage
			for _, c := range content {
				messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, c))
			}
			for _, a := range args {
				messages = append(messages, mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(a+"="+r.Params.Arguments[a])))
			}
			return &mcp.GetPromptResult{Description: p.Description, Messages: messages}, nil
		})
	}
	prompt("test_simple_prompt", nil, mcp.NewTextContent("This is a simple prompt for testing."))
	prompt("test_prompt_with_arguments", []string{"arg1", "arg2"})
	prompt("test_prompt_with_embedded_resource", []string{"resourceUri"}, mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://example-resource", MIMEType: "text/plain", Text: "Embedded resource content for testing."}))
	prompt("test_prompt_with_image", nil, mcp.NewImageContent(dot, "image/png"), mcp.NewTextContent("Please analyze the image above."))
}
