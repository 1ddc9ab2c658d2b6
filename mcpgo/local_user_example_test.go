package mcpgo_test

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolcontract/toolcontract/mcpgo"
)

// A session in the process or on stdio belongs to the local user. A call
// outside of both has no principal.
func ExampleLocalUser() {
	find := mcpgo.LocalUser("calc:add")

	inside := server.NewMCPServer("calc", "1.0.0").WithContext(context.Background(), server.NewInProcessSession("a test", nil))
	p, err := find.Principal(inside)
	fmt.Println(p.Issuer, p.Subject != "", p.Permissions, err)

	_, err = find.Principal(context.Background())
	fmt.Println(err)
	// Output:
	// local true [calc:add] <nil>
	// mcpgo: LocalUser serves only stdio and in-process sessions; use Bearer over HTTP
}
