package mcpgo

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo/internal/unexported"
)

// refusals remembers the tools that came after WrapAll and get no contract, so
// that each is judged and logged once. The zero value is empty and ready for
// use. It is safe for concurrent use.
type refusals struct{ tools sync.Map } // of refusedName to the fingerprint of the tool

// A refusedName is the name of a tool in a session or, if session is empty, on
// the server.
type refusedName struct{ session, name string }

// has reports whether a tool of a session, or of the server if session is
// empty, was refused before.
func (r *refusals) has(session string, t server.ServerTool) bool {
	known, ok := r.tools.Load(refusedName{session, t.Tool.Name})
	return ok && known == fingerprint(t)
}

func (r *refusals) add(session string, t server.ServerTool) {
	r.tools.Store(refusedName{session, t.Tool.Name}, fingerprint(t))
}

// forget forgets the tools of a session.
func (r *refusals) forget(session string) {
	r.tools.Range(func(key, _ any) bool {
		if name, ok := key.(refusedName); ok && name.session == session {
			r.tools.Delete(key)
		}
		return true
	})
}

// fingerprint distinguishes tools that are added under one name.
func fingerprint(t server.ServerTool) string {
	definition, err := json.Marshal(t.Tool)
	if err != nil {
		definition = nil
	}
	return fmt.Sprintf("%x %s", unexported.CodeOf(t.Handler), definition)
}
