package target

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

// Naming returns a transport whose list of tools also has a name that the
// server does not list, such as an alias. Nothing is known about that tool.
func Naming(transport client.Transport, name string) client.Transport {
	return naming{transport, name}
}

type naming struct {
	client.Transport

	name string
}

// Connect opens a connection whose list has the name.
func (n naming) Connect(ctx context.Context, receive func(json.RawMessage)) (client.Conn, error) {
	conn, err := n.Transport.Connect(ctx, receive)
	if err != nil {
		return nil, err
	}
	return &listing{Conn: conn, name: n.name}, nil
}

// listing adds the name to the last page of a list.
type listing struct {
	client.Conn

	name   string
	listed bool // by the server; the pages of a list are read one after another
}

// Exchange sends a message.
func (l *listing) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	body, err := l.Conn.Exchange(ctx, m)
	if err != nil || m.Method != "tools/list" {
		return body, err
	}
	var answer, result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["result"], &result) != nil ||
		json.Unmarshal(result["tools"], &tools) != nil {
		return body, nil
	}
	for _, raw := range tools {
		var tool struct {
			Name string                     `json:"name"`
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		var doc struct {
			Aliases []string `json:"aliases"`
		}
		_ = json.Unmarshal(raw, &tool) // a tool that cannot be read does not have the name
		_ = json.Unmarshal(tool.Meta[contract.MetaKeyContract], &doc)
		if slices.Contains(append(doc.Aliases, tool.Name), l.name) || tool.Name == contract.Underscore.Listed(l.name) {
			l.listed = true
		}
	}
	if l.listed || result["nextCursor"] != nil {
		return body, nil
	}
	added, _ := json.Marshal(map[string]any{"name": l.name, "inputSchema": map[string]string{"type": "object"}})
	result["tools"], _ = json.Marshal(append(tools, added)) // what was decoded can be encoded
	answer["result"], _ = json.Marshal(result)
	return json.Marshal(answer)
}
