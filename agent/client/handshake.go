package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// agree negotiates the protocol version: the modern one if the server speaks
// it, or else by initialize.
func (c *Client) agree(ctx context.Context, l *link) error {
	short, stop := context.WithTimeout(ctx, discoverTime)
	defer stop()
	err := c.discover(short, l)
	if offersModern(err) {
		err = c.discover(short, l) // it refused the version and named those it speaks
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	late := short.Err() != nil
	err = c.initialize(ctx, l)
	var refused *ServerError
	if late && errors.As(err, &refused) && c.discover(ctx, l) == nil {
		// The server started slowly, read both requests, and took the first as
		// the start of its session.
		return nil
	}
	return err
}

// offersModern reports whether a server refused a request because of its
// version, but speaks the modern one.
func offersModern(err error) bool {
	refused, ok := errors.AsType[*ServerError](err)
	var data struct {
		Supported []string `json:"supported"`
	}
	return ok && refused.Code == codeVersion && json.Unmarshal(refused.Data, &data) == nil && slices.Contains(data.Supported, modern)
}

// discover succeeds if the server speaks the modern version.
func (c *Client) discover(ctx context.Context, l *link) error {
	var found struct {
		Supported    []string     `json:"supportedVersions"`
		Capabilities capabilities `json:"capabilities"`
	}
	l.version = modern
	raw, err := c.request(ctx, l, Message{Method: methodDiscover}, map[string]any{})
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, &found) != nil || !slices.Contains(found.Supported, modern) {
		return errUnknownVersion
	}
	l.hears = found.Capabilities.Tools.ListChanged
	l.server = serverName(raw)
	return nil
}

// initialize begins a session of an earlier version.
func (c *Client) initialize(ctx context.Context, l *link) error {
	var hello struct {
		Version      string       `json:"protocolVersion"`
		Capabilities capabilities `json:"capabilities"`
	}
	l.version = ""
	raw, err := c.request(ctx, l, Message{Method: methodInitialize}, map[string]any{
		"protocolVersion": sessions, "capabilities": json.RawMessage(l.asks), "clientInfo": clientInfo,
	})
	if err != nil {
		return err
	}
	if json.Unmarshal(raw, &hello) != nil || !knownSessions[hello.Version] {
		return errUnknownVersion
	}
	l.version = hello.Version
	l.hears = hello.Capabilities.Tools.ListChanged
	l.server = serverName(raw)
	initialized := json.RawMessage(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, err = l.Exchange(ctx, Message{Body: initialized, Version: l.version})
	return err
}

type capabilities struct {
	Tools struct {
		ListChanged bool `json:"listChanged"`
	} `json:"tools"`
}

// serverName returns the server's name from its handshake response.
func serverName(raw json.RawMessage) string {
	var info struct {
		Server struct {
			Name string `json:"name"`
		} `json:"serverInfo"`
		Meta struct {
			Server struct {
				Name string `json:"name"`
			} `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &info) // a server needs no name
	if info.Server.Name == "" {
		return shownText(info.Meta.Server.Name)
	}
	return shownText(info.Server.Name)
}
