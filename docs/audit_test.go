package docs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard"
)

// audited makes one call under a guard whose audit log is a file.
func audited(path string, tool *contract.Tool, request guard.Request) (err error) {
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
	tools, err := g.Protect(tool)
	if err != nil {
		return err
	}
	_, err = tools.Call(context.Background(), request)
	return errors.Join(err, g.Close(context.Background())) // writes the rest of the log
}

func Example_audit() {
	folder, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "audit.jsonl")
	if err := audited(path, orderCanceller(), guard.Request{Tool: "orders.cancel", Arguments: []byte(`{"id":"1"}`)}); err != nil {
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
