package target

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// Watched returns a transport that warns, once per connection, if a server
// writes anything but messages to stdout. Hosts' clients differ in what they do
// then.
func Watched(transport client.Transport, on *cli.Terminal) client.Transport {
	return watched{transport, on}
}

type watched struct {
	client.Transport

	on *cli.Terminal
}

// Connect opens a connection that is watched.
func (w watched) Connect(ctx context.Context, receive func(json.RawMessage)) (client.Conn, error) {
	note := sync.OnceFunc(func() {
		w.on.Note("The server writes text to its stdout that is not a message of the protocol. Let it log to its stderr.")
	})
	return w.Transport.Connect(ctx, func(body json.RawMessage) {
		var message map[string]json.RawMessage
		if json.Unmarshal(body, &message) != nil {
			note()
			return
		}
		receive(body)
	})
}
