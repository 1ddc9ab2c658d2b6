package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// audited serves under a guard whose audit log is a file.
func audited(path string, serve func(*guard.Guard) error) (err error) {
	sink, err := audit.OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sink.Close()) }() // after the guard
	principal := func(context.Context) (guard.Principal, error) { return anna("orders:write"), nil }
	g, err := guard.New(guard.WithAudit(sink), guard.WithPrincipal(guard.PrincipalFunc(principal)))
	if err != nil {
		return err
	}
	return errors.Join(serve(g), g.Close(context.Background())) // writes the rest of the log
}

func Example_audit() {
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "audit.jsonl")
	err = audited(path, func(g *guard.Guard) error {
		table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{orderCanceller()}})
		if err != nil {
			return err
		}
		_, err = table.Call(context.Background(), table.Entry("orders_cancel"), adapter.Request{Arguments: []byte(`{"id":"1"}`)})
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	log, err := os.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	report, err := audit.Verify(log, "")
	fmt.Println(report.Records, err)
	// Output: 1 <nil>
}
