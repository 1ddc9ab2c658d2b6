package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/trust"
)

// shownSchema returns an input schema as a model reads it: its titles and
// descriptions are sanitised. Names and values stay, because the server
// compares arguments with them. A schema without hidden characters is returned
// as it is.
func shownSchema(raw json.RawMessage) json.RawMessage {
	if _, removed := trust.Sanitize(string(raw)); removed == 0 && !bytes.Contains(raw, []byte(`\u`)) {
		return raw
	}
	var shown bytes.Buffer
	in := jsontext.NewDecoder(bytes.NewReader(raw))
	out := jsontext.NewEncoder(&shown)
	name := ""
	for {
		token, err := in.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return bytes.TrimSpace(shown.Bytes())
		case err != nil:
			return raw
		case token.Kind() == '"':
			parent, position := in.StackIndex(in.StackDepth())
			switch text := token.String(); {
			case parent != '{':
			case position%2 == 1:
				name = text
			case name == "title" || name == "description":
				token = jsontext.String(clean(text))
			}
		}
		if out.WriteToken(token) != nil {
			return raw
		}
	}
}
