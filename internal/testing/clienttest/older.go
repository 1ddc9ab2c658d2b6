package clienttest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/agent/client"
)

// Modern is the newest protocol version; Older is the newest one that has
// sessions.
const (
	Modern = "2026-07-28"
	Older  = "2025-11-25"
)

// Speaking returns a transport over which a client negotiates a version: t
// itself for [Modern], and t without server/discover for [Older].
func Speaking(version string, t client.Transport) client.Transport {
	if version == Modern {
		return t
	}
	return older{t}
}

type older struct{ client.Transport }

func (o older) Connect(ctx context.Context, receive func(json.RawMessage)) (client.Conn, error) {
	c, err := o.Transport.Connect(ctx, receive)
	if err != nil {
		return nil, err
	}
	return olderConn{c}, nil
}

type olderConn struct{ client.Conn }

func (c olderConn) Exchange(ctx context.Context, m client.Message) (json.RawMessage, error) {
	if m.Method == "server/discover" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"method not found"}}`, m.ID), nil
	}
	return c.Conn.Exchange(ctx, m)
}
