package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
)

// A fake is a server that does what a test wants. It is its own dialer and its
// own session.
type fake struct {
	older bool
	tools []string // the JSON of its tools
	pages func(cursor string) string
	// answer answers the n-th tools/call, from 1.
	answer func(n int, p client.CallParams) (string, error)

	person client.Person
	calls  atomic.Int64
	dials  atomic.Int64
}

func (f *fake) Dial(_ context.Context, p client.Person) (client.Session, error) {
	f.dials.Add(1)
	f.person = p
	return f, nil
}

func (f *fake) Modern() bool { return !f.older }

func (f *fake) ListTools(_ context.Context, cursor string) (json.RawMessage, error) {
	if f.pages != nil {
		return json.RawMessage(f.pages(cursor)), nil
	}
	list := `{"tools":[`
	for i, t := range f.tools {
		if i > 0 {
			list += ","
		}
		list += t
	}
	return json.RawMessage(list + `]}`), nil
}

func (f *fake) CallTool(_ context.Context, p client.CallParams) (json.RawMessage, error) {
	answer, err := f.answer(int(f.calls.Add(1)), p)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(answer), nil
}

func (f *fake) Close() error { return nil }

var errCut = errors.New("connection reset by peer")

// hinted is a tool with hints, which are the members of annotations.
func hinted(name, annotations string) string {
	return fmt.Sprintf(`{"name":%q,"description":"Does it.","inputSchema":{"type":"object"},"annotations":{%s}}`, name, annotations)
}

// contracted is a tool with a contract, whose members are given.
func contracted(name, members string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"_meta":{%q:{"format":1,"name":%q,"description":"Does it.",`+
		`"version":"1.0.0","autonomous":true,%s}}}`,
		name, contract.MetaKeyContract, name, members)
}

const (
	reading  = `"risk":"low","effect":"read-only","contentTrust":"trusted","confirmation":"never"`
	writing  = `"risk":"medium","effect":"low-risk-write","contentTrust":"trusted","confirmation":"never"`
	managed  = writing + `,"idempotency":{"mode":"managed","clientKey":true}`
	critical = `"risk":"critical","effect":"destructive","contentTrust":"trusted","confirmation":"always"`
)

func ok(text string) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text)
}

// failing is a result with a failure, whose outcome has the given members.
func failing(text, outcome string) string {
	return fmt.Sprintf(`{"isError":true,"content":[{"type":"text","text":%q}],"_meta":{%q:{"status":"error",%s}}}`, text,
		contract.MetaKeyOutcome, outcome)
}
