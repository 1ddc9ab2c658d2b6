package mcpgo

import (
	"net/http"

	"github.com/toolcontract/toolcontract/contract/adapter"
)

// LimitHandler bounds the body of a POST request to h, mcp-go's HTTP handler,
// which reads and decodes bodies of any size. A larger body gets status 413 and
// a JSON-RPC error and does not reach h; see [adapter.LimitHandler].
//
// maxBytes is in bytes. Zero or less means 4 MiB, as for a contract that
// declares no limit, and 64 KiB for the rest of the message. A tool that
// declares larger arguments needs a larger limit here.
func LimitHandler(h http.Handler, maxBytes int64) http.Handler {
	return adapter.LimitHandler(h, maxBytes)
}
