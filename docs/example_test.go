// Package docs_test has the examples of the manual. Each file belongs to the
// page of its name.
package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/store"
)

// anna returns a principal with permissions.
func anna(permissions ...string) contract.Principal {
	return contract.Principal{Subject: "anna", Permissions: permissions}
}

// A caller calls one tool under a guard of its own.
type caller struct {
	table *adapter.Table
	entry *adapter.Entry
}

// callerOf returns a caller that calls a tool on behalf of a principal, and
// others of the same server by [caller.other]. Audit
// events are dropped. The clock of rate limits stands still, because their
// delays are printed.
func callerOf(tool *contract.Tool, who contract.Principal, others ...*contract.Tool) caller {
	now := time.Now()
	limiter, err := store.NewMemoryLimiter(store.WithClock(func() time.Time { return now }))
	if err != nil {
		log.Fatal(err)
	}
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}), guard.WithLimiter(limiter),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return who, nil
		})))
	if err != nil {
		log.Fatal(err)
	}
	table, err := adapter.NewTable(g, adapter.Config{Tools: append(others, tool), Naming: contract.Dotted})
	if err != nil {
		log.Fatal(err)
	}
	return caller{table, table.Entry(tool.Name())}
}

// other returns a caller of another tool of the server.
func (c caller) other(tool string) caller { return caller{c.table, c.table.Entry(tool)} }

// result makes a call with arguments and returns its result.
func (c caller) result(arguments string) *adapter.CallResult {
	r, err := c.table.Call(context.Background(), c.entry, adapter.Request{Arguments: json.RawMessage(arguments)})
	if err != nil {
		log.Fatal(err)
	}
	return r
}

// call makes a call and prints the text that a model reads.
func (c caller) call(arguments string) {
	text, _ := c.result(arguments).Content[0].(contract.TextContent)
	fmt.Println(text.Text)
}
