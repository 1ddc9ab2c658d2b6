package serve_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/serve"
)

// A log stands for a sink or a store of the guard.
type log struct{}

func (log) Close() error {
	fmt.Println("the log is closed")
	return nil
}

// A program serves until it gets a signal. This one ends after one request.
func Example() {
	ctx, end := context.WithCancel(context.Background())
	err := run(ctx, func(origin string) {
		go func() {
			defer end()
			resp, err := http.Get(origin + "/mcp")
			if err != nil {
				fmt.Println(err)
				return
			}
			fmt.Println(resp.StatusCode, resp.Body.Close())
		}()
	})
	fmt.Println("ended:", err)
	// Output:
	// 204 <nil>
	// the log is closed
	// ended: <nil>
}

func run(ctx context.Context, started func(origin string)) (err error) {
	defer serve.Close(&err, log{})
	g, err := guard.New()
	if err != nil {
		return err
	}
	web, err := serve.Listen("127.0.0.1:0", serve.Config{Started: started})
	if err != nil {
		return err
	}
	web.Handle("/mcp", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	return web.Serve(ctx, g)
}

// An address that other machines can reach needs a name and TLS.
func ExampleConfig() {
	_, err := serve.Listen("0.0.0.0:0", serve.Config{})
	fmt.Println(errors.Is(err, serve.ErrNotLoopback))
	web, err := serve.Listen("0.0.0.0:0", serve.Config{Origin: "https://mail.example.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(web.Origin())
	fmt.Println(web.Close())
	// Output:
	// true
	// https://mail.example.com
	// <nil>
}
