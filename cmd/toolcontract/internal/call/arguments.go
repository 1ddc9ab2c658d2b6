package call

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
)

var errObject = errors.New("the arguments are not a JSON object; write {…} or KEY=VALUE")

// read returns the arguments of the tool that the rest of a command line has.
func read(ctx context.Context, tool agent.Tool, rest []string, stdin io.Reader) (json.RawMessage, error) {
	if len(rest) == 1 && (rest[0] == "-" || strings.HasPrefix(strings.TrimSpace(rest[0]), "{")) {
		text := []byte(rest[0])
		if rest[0] == "-" {
			var err error
			if text, err = cli.Interruptible(ctx, func() ([]byte, error) {
				return io.ReadAll(io.LimitReader(stdin, client.MaxMessageBytes))
			}); err != nil {
				return nil, err
			}
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil || object == nil {
			return nil, errObject
		}
		return text, nil
	}
	declared := agent.Fields(tool.Contract.InputSchema)
	members := map[string]json.RawMessage{}
	for _, pair := range rest {
		key, typed, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, cli.Usage("an argument of the tool is not of the form KEY=VALUE")
		}
		var a agent.Field
		if i := slices.IndexFunc(declared, func(a agent.Field) bool { return a.Name == key }); i >= 0 {
			a = declared[i]
		}
		value := describe.Value(a, typed)
		if before, again := members[key]; again {
			var joined bool
			if value, joined = join(before, value); !joined {
				return nil, cli.Usage("a KEY is repeated, and its argument is not a list")
			}
		}
		members[key] = value
	}
	return json.Marshal(members)
}

// join returns the items of both lists as one.
func join(a, b json.RawMessage) (json.RawMessage, bool) {
	var first, second []json.RawMessage
	if json.Unmarshal(a, &first) != nil || json.Unmarshal(b, &second) != nil {
		return nil, false
	}
	joined, err := json.Marshal(append(first, second...))
	return joined, err == nil
}
