package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/target"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
)

// Listed returns the tools of a file or a running server, in the form of
// tools/list, and the text of the file. A file is a snapshot, or has a result of
// tools/list.
func Listed(ctx context.Context, server *target.Target, args []string, t *cli.Terminal) (
	tools []json.RawMessage, text []byte, err error,
) {
	if len(args) == 1 && target.IsFile(args[0]) {
		text, err := cli.ReadFile(ctx, args[0])
		if err != nil {
			return nil, nil, err
		}
		tools, err := parseListed(text)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", args[0], err)
		}
		return tools, text, nil
	}
	transport, rest, err := server.Transport(args, t)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) > 0 {
		return nil, nil, cli.Usage("one snapshot or one server is required")
	}
	tools, err = server.List(ctx, transport, t)
	return tools, nil, err
}

// parseListed reads a snapshot, a tools/list result, or just its list of tools.
func parseListed(text []byte) ([]json.RawMessage, error) {
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
