package call

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

const progressToken = "toolcontract"

// reporting is a transport that requests the progress of calls, and shows it.
type reporting struct {
	client.Transport

	on *cli.Terminal
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
	return requesting{conn}, nil
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

// requesting adds the token of the progress to each call.
type requesting struct{ client.Conn }

// Exchange sends a message.
func (r requesting) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	if m.Method == "tools/call" {
		m.Body = withToken(m.Body)
	}
	return r.Conn.Exchange(ctx, m)
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
	meta["progressToken"] = json.RawMessage(`"` + progressToken + `"`)
	for _, step := range []struct {
		into map[string]json.RawMessage
		name string
		part any
	}{{params, "_meta", meta}, {message, "params", params}} {
		encoded, err := json.Marshal(step.part)
		if err != nil {
			return body
		}
		step.into[step.name] = encoded
	}
	encoded, err := json.Marshal(message)
	if err != nil {
		return body
	}
	return encoded
}
