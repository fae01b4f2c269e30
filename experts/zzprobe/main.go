package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/data"
)

func main() {
	e := data.New(os.Args[1])
	sc := bufio.NewScanner(os.Stdin)
	for sc.Scan() {
		text := sc.Text()
		var said []core.Message
		show := text
		if a, b, ok := strings.Cut(text, " >> "); ok {
			said = append(said, core.Message{Role: core.RoleUser, Text: a})
			text = b
		}
		r, err := e.Answer(context.Background(), experts.Question{Prompt: text, Context: said})
		b := e.Bid(context.Background(), text, said)
		m := r.Message
		if len(os.Args) < 3 {
			m, _, _ = strings.Cut(m, "\n")
			if len(m) > 150 {
				m = m[:150]
			}
		}
		fmt.Printf("%s\n   %.2f %s %v %v\n   %s\n", show, b.Score, r.Status, err, m, r.Data["sql"])
	}
}
