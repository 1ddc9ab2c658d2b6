package adapter_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
)

// An adapter records each session that its SDK keeps, and gives the function
// that ends it.
func ExampleNewSessions() {
	sessions := adapter.NewSessions(30 * time.Minute)
	sdk := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sessions.Began(r.Context(), "s1", func() { fmt.Println("the SDK drops s1") })
		w.Header().Set("Mcp-Session-Id", "s1")
	})
	h := adapter.LimitHandler(sessions.Handler(sdk), 0)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody))
	fmt.Println("open:", sessions.IsOpen("s1"))
	// Output:
	// open: true
}
