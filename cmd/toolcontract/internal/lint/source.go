package lint

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A source is the file that was read. For a server, its path is empty.
type source struct {
	path string
	text []byte
}

// line returns the number of the line that has a tool's name, counting from 1.
func (s source) line(tool string) int {
	for _, name := range []string{tool, strings.ReplaceAll(tool, "_", ".")} {
		quoted, err := json.Marshal(name)
		if err != nil {
			return 1
		}
		for i, line := range bytes.Split(s.text, []byte("\n")) {
			if _, after, has := bytes.Cut(line, []byte(`"name"`)); has && bytes.Contains(after, quoted) {
				return i + 1
			}
		}
	}
	return 1
}
