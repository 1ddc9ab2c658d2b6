package target

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/toolcontract/toolcontract/agent/client"
)

// started is a transport whose open connections are counted, because each is a
// process that must end before the command does.
type started struct {
	client.Transport

	open *sync.WaitGroup
}

// Connect opens a connection that counts until it is closed.
func (s started) Connect(ctx context.Context, receive func(json.RawMessage)) (client.Conn, error) {
	s.open.Add(1)
	conn, err := s.Transport.Connect(ctx, receive)
	if err != nil {
		s.open.Done()
		return nil, err
	}
	return counted{conn, sync.OnceFunc(s.open.Done)}, nil
}

type counted struct {
	client.Conn

	done func()
}

func (c counted) Close() error {
	defer c.done()
	return c.Conn.Close()
}
