package adapter_test

import (
	"net/http"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
)

// A proxy that waits for only ten seconds needs a comment sooner.
func ExampleKeepAlive() {
	var endpoint http.Handler // of mcpgo.NewHandler or gosdk.NewHandler
	http.Handle("/mcp", adapter.KeepAlive(endpoint, 5*time.Second))
}
