package mcpgo

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"

	"github.com/toolcontract/toolcontract/internal/contain"
)

// onWorkers answers POST requests on workers. mcp-go needs a stack of 16 KiB or
// more, which the goroutine of each connection would grow again and again.
// Other requests, such as a stream that only listens, stay on the goroutine of
// their connection.
func onWorkers(next http.Handler) http.Handler {
	pool := &contain.Pool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		endAs(pool.Do(func() { next.ServeHTTP(w, r) }))
	})
}

// endAs ends the goroutine of a request as its worker ended, so that net/http
// closes the connection. The stack of a panic would be lost with the worker, so
// it becomes part of the value.
func endAs(err error) {
	p, panicked := errors.AsType[*contain.PanicError](err)
	switch {
	case panicked && p.Value == http.ErrAbortHandler: //nolint:errorlint // net/http compares it
		panic(http.ErrAbortHandler) //nolint:forbidigo // what the handler did
	case panicked:
		panic(fmt.Sprintf("%v\n\n%s", p.Value, p.Stack)) //nolint:forbidigo // what the handler did
	case err != nil:
		runtime.Goexit()
	}
}
