package adapter_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
)

// A body beyond the limit does not reach the handler.
func ExampleLimitHandler() {
	h := adapter.LimitHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d bytes", len(body))
	}), 16)
	for _, body := range []string{"sixteen bytes...", "one byte too many"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body)))
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 200 16 bytes
	// 413 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request body too large"}}
}
