package room

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

// importExperts lists the MCP servers that other programs know, and takes those into
// the configuration that are named.
func importExperts(_ context.Context, c *Call) (core.Doc, error) {
	files, named := servers.KnownFiles(c.Getenv("HOME")), len(c.Args) > 0
	if named {
		files = c.Args[:1]
	}
	take := c.list("take")
	doc := core.Part{Kind: core.Table, Head: []string{"name", "starts", "listed in", "here"}}
	var found []servers.Server
	for _, path := range files {
		raw, err := userfile.Read(path, servers.MaxFile)
		if errors.Is(err, fs.ErrNotExist) && !named {
			continue
		}
		var list servers.List
		if err == nil {
			list, err = servers.Read(c.Config.Place(path, c.Getenv), raw)
		}
		if err != nil {
			if named {
				return core.Doc{}, core.Fail(core.CodeInvalid, safe.Line(err.Error()), "name a file that lists MCP servers, such as .mcp.json")
			}
			continue // it has no list
		}
		for _, s := range list.Servers {
			here := "can be taken"
			if slices.ContainsFunc(c.Config.Experts, func(e config.Expert) bool { return yaap.Canonical(e.Name) == yaap.Canonical(s.Name) }) {
				here = "an expert has that name"
			}
			doc.Rows = append(doc.Rows, []string{s.Name, safe.Line(strings.Join(append(slices.Clone(s.Command), s.URL), " ")), path, here})
		}
		for _, f := range list.Faults {
			doc.Rows = append(doc.Rows, []string{safe.Line(f.Written), "", path, "cannot be taken: " + f.Err.Error()})
		}
		for _, off := range list.Off {
			doc.Rows = append(doc.Rows, []string{safe.Line(off), "", path, "turned off there"})
		}
		found = append(found, list.Servers...)
	}
	if len(take) > 0 {
		return c.take(found, take)
	}
	if len(doc.Rows) == 0 {
		return core.Say(core.Block, "no other program here lists MCP servers; name a file that does"), nil
	}
	return core.Doc{Parts: []core.Part{doc, {Kind: core.Remark, Text: "yaap experts import --take NAME writes one into " + safe.Line(c.Config.File)}}}, nil
}

// take writes servers into the configuration, as they are written elsewhere.
func (c *Call) take(found []servers.Server, names []string) (core.Doc, error) {
	var taken []string
	for _, name := range names {
		i := slices.IndexFunc(found, func(s servers.Server) bool { return s.Name == name || s.Written == name })
		if i < 0 {
			return core.Doc{}, core.Fail(core.CodeNotFound, "no server called "+safe.Line(name)+" is listed", "yaap experts import lists those that are")
		}
		var entry any
		if err := json.Unmarshal(found[i].Raw, &entry); err != nil {
			return core.Doc{}, err
		}
		if err := config.AddEntry(c.Config.File, found[i].List, found[i].Written, entry); err != nil {
			return core.Doc{}, err
		}
		taken = append(taken, found[i].Name)
	}
	return core.Say(core.Block, strings.Join(taken, ", ")+" joins from now on: "+safe.Line(c.Config.File)+" lists it"), nil
}
