package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
)

// A tool without a contract, on an SDK whose results are texts.
func ExampleNewBelt() {
	g, err := guard.New(guard.WithAudit(&audit.Recorder{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := adapter.NewBelt(&struct{ name string }{"notes"}, "notes", []belt.Settings{{Guard: g}, belt.Strict()})
	if err != nil {
		fmt.Println(err)
		return
	}
	define := func() (adapter.Definition, error) {
		return adapter.Definition{Name: "echo", InputSchema: json.RawMessage(`{"type":"object","required":["text"]}`)}, nil
	}
	for _, arguments := range []string{`{"text":"hello"}`, `{}`} {
		call := adapter.Request{Arguments: json.RawMessage(arguments), Caller: "session 1"}
		r, err := b.Call(context.Background(), "echo", 1, define, call, func(context.Context) (*adapter.CallResult, error) {
			return &adapter.CallResult{Passed: arguments}, nil
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		o := r.Meta[contract.MetaKeyOutcome].(contract.Outcome)
		fmt.Println(o.Status, o.Code, r.Passed)
	}
	// Output:
	// ok  {"text":"hello"}
	// error invalid_input <nil>
}
