package serve_test

import (
	"fmt"
	"net"
	"strings"

	"github.com/toolcontract/toolcontract/serve"
)

// A supervisor opened the listener, so the server only serves it.
func ExampleNew() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close() // Serve closes it as well
	web, err := serve.New(listener, serve.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.HasPrefix(web.Origin(), "http://127.0.0.1:"))
	// Output: true
}
