package call

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
)

// reporting is a transport that requests the progress of calls, and shows it.
type reporting struct {
	client.Transport

	on *cli.Terminal
	// unlisted is a name, such as an alias, that is added to the list if the
	// server doesn't list it. Nothing is known about that tool. Empty: none.
	unlisted string
}

// Connect opens a connection that requests progress.
func (r reporting) Connect(ctx context.Context, receive func(json.RawMessage)) (client.Conn, error) {
	conn, err := r.Transport.Connect(ctx, func(body json.RawMessage) {
		r.show(body)
		receive(body)
	})
	if err != nil {
		return nil, err
	}
	return &requesting{Conn: conn, reporting: r}, nil
}

// show shows a notification of progress.
func (r reporting) show(body json.RawMessage) {
	var m struct {
		Method string `json:"method"`
		Params struct {
			Progress float64 `json:"progress"`
			Total    float64 `json:"total"`
			Message  string  `json:"message"`
		} `json:"params"`
	}
	if json.Unmarshal(body, &m) != nil || m.Method != "notifications/progress" {
		return
	}
	done := fmt.Sprintf("%g", m.Params.Progress)
	if m.Params.Total > 0 {
		done = fmt.Sprintf("%g of %g", m.Params.Progress, m.Params.Total)
	}
	r.on.Progress("%s %s", done, m.Params.Message)
}

// requesting adds the progress token to each call, and a name to the list.
type requesting struct {
	client.Conn
	reporting

	listed bool // by the server; the pages of a list are read one after another
}

// Exchange sends a message.
func (r *requesting) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	if m.Method == "tools/call" {
		m.Body = withToken(m.Body)
	}
	if receive := m.Receive; receive != nil {
		m.Receive = func(body json.RawMessage) {
			r.show(body)
			receive(body)
		}
	}
	body, err := r.Conn.Exchange(ctx, m)
	if err == nil && m.Method == "tools/list" && r.unlisted != "" {
		return r.withName(body), nil
	}
	return body, err
}

// withName adds the name to the last page of a list.
func (r *requesting) withName(body json.RawMessage) json.RawMessage {
	var answer, result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(body, &answer) != nil || json.Unmarshal(answer["result"], &result) != nil ||
		json.Unmarshal(result["tools"], &tools) != nil {
		return body
	}
	for _, raw := range tools {
		var tool struct {
			Name string                     `json:"name"`
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		var doc struct {
			Aliases []string `json:"aliases"`
		}
		_ = json.Unmarshal(raw, &tool) // a tool that cannot be read doesn't have the name
		_ = json.Unmarshal(tool.Meta[contract.MetaKeyContract], &doc)
		if slices.Contains(append(doc.Aliases, tool.Name), r.unlisted) || tool.Name == contract.Underscore.Listed(r.unlisted) {
			r.listed = true
		}
	}
	if r.listed || result["nextCursor"] != nil {
		return body
	}
	added := encoded(map[string]any{"name": r.unlisted, "inputSchema": map[string]string{"type": "object"}})
	result["tools"] = encoded(append(tools, added))
	answer["result"] = encoded(result)
	return encoded(answer)
}

// encoded returns the JSON of a value that was decoded.
func encoded(value any) json.RawMessage {
	text, _ := json.Marshal(value) //nolint:errchkjson // what was decoded can be encoded
	return text
}

// withToken returns a request with the token. Other messages stay as they are.
func withToken(body json.RawMessage) json.RawMessage {
	var message, params, meta map[string]json.RawMessage
	if json.Unmarshal(body, &message) != nil || json.Unmarshal(message["params"], &params) != nil {
		return body
	}
	if _, ok := params["_meta"]; ok && json.Unmarshal(params["_meta"], &meta) != nil {
		return body
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	meta["progressToken"] = json.RawMessage(`"toolcontract"`)
	params["_meta"] = encoded(meta)
	message["params"] = encoded(params)
	return encoded(message)
}
