package config

import (
	"reflect"
	"slices"
	"testing"
)

func TestEverySettingOfTheFileIsTold(t *testing.T) {
	var inFile, told []string
	for f := range reflect.TypeFor[file]().Fields() {
		inFile = append(inFile, f.Tag.Get("yaml"))
	}
	for _, s := range Settings() {
		told = append(told, s.Name)
	}
	slices.Sort(inFile)
	slices.Sort(told)
	if !slices.Equal(inFile, told) {
		t.Errorf("the file takes %q, told is %q", inFile, told)
	}
}
