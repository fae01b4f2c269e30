package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

const searchSchema = `{"type":"object","required":["path"],"properties":{
	"path":{"type":"string"},"head":{"type":"number"},"deep":{"type":"boolean"},"skip":{"type":"array","items":{"type":"string"}},
	"sizes":{"type":"array","items":{"type":"integer"}},"sort":{"enum":["name","size"]},"limit":{"anyOf":[{"type":"integer"},{"type":"null"}]},
	"with":{"type":"object"},"any":{},"odd":true}}`

func TestArgumentsAreReadAsTheyAreTyped(t *testing.T) {
	spec := core.ToolSpec{Schema: []byte(searchSchema)}
	for text, want := range map[string]string{
		``:                                    `{}`,
		`path=a.txt`:                          `{"path":"a.txt"}`,
		`path="my notes.txt" head=3`:          `{"path":"my notes.txt","head":3}`,
		`path='it''s' deep=true`:              `{"path":"its","deep":true}`,
		`path=007`:                            `{"path":"007"}`,
		`path=true head=ten`:                  `{"path":"true","head":"ten"}`,
		`skip=a skip=b`:                       `{"skip":["a","b"]}`,
		`skip=["a b","c"] path=x`:             `{"path":"x","skip":["a b","c"]}`,
		`sizes=1 sizes=2`:                     `{"sizes":[1,2]}`,
		`limit=5 sort=size`:                   `{"limit":5,"sort":"size"}`,
		`with={"k": [1, "two words"]} path=x`: `{"path":"x","with":{"k":[1,"two words"]}}`,
		`any=3 other=3 more={"a":1}`:          `{"any":3,"more":{"a":1},"other":"3"}`,
		"path=a\nhead=1":                      `{"path":"a","head":1}`,
		`path=`:                               `{"path":""}`,
		`path=[not json`:                      "",
		`{"path":"a.txt","head":2}`:           `{"path":"a.txt","head":2}`,
		`{"path": broken`:                     `{"path": broken`,
		`path=a.txt and then some`:            "",
		`the file a.txt`:                      "",
		`path="open`:                          "",
		`path=a -rf /`:                        "",
		`path=a b=`:                           `{"path":"a","b":""}`,
		`path=a path=b`:                       "",
		`path=x=y`:                            `{"path":"x=y"}`,
		`head=12345678901234567890.5`:         `{"head":12345678901234567890.5}`,
	} {
		raw, ok := spec.ReadArguments(text)
		if string(raw) != want || ok != (want != "") {
			t.Errorf("%q is read as %s (%v), want %s", text, raw, ok, want)
		}
	}
}

func TestWhatIsRequiredAndHasADefaultNeedNotBeGiven(t *testing.T) {
	spec := core.ToolSpec{Schema: []byte(`{"type":"object","required":["url","scale","depth","none"],"properties":{
		"url":{"type":"string"},"scale":{"$ref":"#/$defs/Scale","default":"css"},"depth":{"anyOf":[{"type":"integer"}],"default":2},
		"none":{"type":["string","null"],"default":null},"wide":{"type":"boolean","default":false}},
		"$defs":{"Scale":{"type":"string","enum":["css","device"]}}}`)}
	if got, want := spec.Usage(), "url=TEXT [scale=css|device] [depth=NUMBER] [none=TEXT] [wide=true|false]"; got != want {
		t.Errorf("it takes %s, want %s", got, want)
	}
	for args, want := range map[string]string{
		`{"url":"a"}`: `{"url":"a","scale":"css","depth":2,"none":null}`,
		`{"url": "a", "scale": "device", "depth": 1, "none": "x"}`: `{"url": "a", "scale": "device", "depth": 1, "none": "x"}`,
		`{}`: `{"scale":"css","depth":2,"none":null}`,
		`[]`: `[]`, `null`: `null`, ``: ``,
	} {
		if got := string(spec.WithDefaults([]byte(args))); got != want {
			t.Errorf("%s becomes %s, want %s", args, got, want)
		}
	}
}

func TestUsageTellsWhatAToolTakes(t *testing.T) {
	for schema, want := range map[string]string{
		searchSchema:        "path=TEXT [any=VALUE] [deep=true|false] [head=NUMBER] [limit=NUMBER] [odd=VALUE] [sizes=NUMBER...] [skip=TEXT...] [sort=name|size] [with=JSON]",
		"":                  "prompt=TEXT",
		`{"type":"object"}`: "",
		`{"properties":{"b":{"type":"string"},"a":{"type":["integer","null"]}},"required":["b","a","b","c"]}`: "b=TEXT a=NUMBER",
		`{"properties":7}`: "",
		`{"$defs":{"Bird":{"type":"string","enum":["heron","owl"]},"Self":{"$ref":"#/$defs/Self"},"N":{"type":"integer"}},
			"properties":{"a":{"$ref":"#/$defs/Bird"},"b":{"anyOf":[{"$ref":"#/$defs/Bird"},{"type":"null"}]},"c":{"allOf":[{"$ref":"#/$defs/N"}],"default":1},
			"d":{"type":"array","items":{"$ref":"#/$defs/N"}},"e":{"$ref":"#/$defs/Self"},"f":{"$ref":7},"g":{"$ref":"#/$defs/none"}},"required":["a"]}`: "a=heron|owl [b=heron|owl] [c=NUMBER] [d=NUMBER...] [e=VALUE] [f=VALUE] [g=VALUE]",
		`{"definitions":{"Bird":{"enum":["heron"]}},"properties":{"a":{"$ref":"#/definitions/Bird"}}}`: "[a=heron]",
	} {
		if got := (core.ToolSpec{Schema: []byte(schema)}).Usage(); got != want {
			t.Errorf("%s is told as %q, want %q", schema, got, want)
		}
	}
}
