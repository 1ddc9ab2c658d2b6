package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
)

// A source is the file that was read. Its path is empty for a server.
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

// read returns the tools of a file or a running server, in the form of
// tools/list.
func read(ctx context.Context, server *target.Target, args []string, t *cli.Terminal) ([]json.RawMessage, source, error) {
	if len(args) == 1 && target.IsFile(args[0]) {
		text, err := cli.ReadFile(ctx, args[0])
		if err != nil {
			return nil, source{}, err
		}
		tools, err := parse(text)
		if err != nil {
			return nil, source{}, fmt.Errorf("%s: %w", args[0], err)
		}
		return tools, source{args[0], text}, nil
	}
	transport, rest, err := server.Transport(args, t)
	if err != nil {
		return nil, source{}, err
	}
	if len(rest) > 0 {
		return nil, source{}, cli.Usage("one snapshot or one server is required")
	}
	tools, err := server.List(ctx, transport, t)
	return tools, source{}, err
}

// parse reads a snapshot, a tools/list result, or just its list of tools.
func parse(text []byte) ([]json.RawMessage, error) {
	var list struct {
		Format json.RawMessage   `json:"format"`
		Tools  []json.RawMessage `json:"tools"`
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) {
		err := json.Unmarshal(text, &list.Tools)
		return list.Tools, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if list.Format == nil {
		if list.Tools == nil {
			return nil, errors.New("it is neither a snapshot nor a result of tools/list")
		}
		return list.Tools, nil
	}
	s, err := compat.ParseSnapshot(text)
	if err != nil {
		return nil, err
	}
	var tools []json.RawMessage
	for _, doc := range s.Tools {
		if doc.Risk == risk.Forbidden { // it is not listed
			continue
		}
		raw, err := contracttest.ListedJSON(doc, contract.TierFull, s.Names)
		if err != nil {
			return nil, err
		}
		tools = append(tools, raw)
	}
	return tools, nil
}
