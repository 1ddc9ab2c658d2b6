package main

import (
	"encoding/json"
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

// print prints the value as JSON if the flag -json is set, and otherwise the
// text.
func (t *terminal) print(value any, text string) error {
	if !t.json {
		_, err := t.stdout.Write([]byte(strings.TrimRight(text, "\n") + "\n"))
		return err
	}
	encoder := json.NewEncoder(t.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// oneLine returns a foreign text in one line, without characters that control
// the terminal.
func oneLine(text string) string {
	clean, _ := trust.Sanitize(text)
	return strings.Join(strings.Fields(clean), " ")
}
