package agent_test

import (
	"errors"
	"testing"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
)

// FuzzCall answers a call with any bytes. The call ends with a result, a
// RetryError or a FatalError, and a write is sent once.
func FuzzCall(f *testing.F) {
	for _, answer := range []string{
		ok("done"), `{"content":[],"structuredContent":{"n":1}}`, failing("[FATAL] no",
			`"code":"a","class":"fatal","violations":[{"rule":"a"}]`),
		`{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create",` +
			`"params":{"mode":"url",` +
			`"url":"https://a.example"}}}}`,
		`{"content":[{"type":"resource","resource":{"uri":"a","blob":"AA=="}},{"type":"image","data":"AA==",` +
			`"annotations":{"priority":1}}]}`,
		`{"isError":true}`, `null`, `[]`, `{`, "\xff", `{"content":[{"type":"text","text":"\ud800"}]}`,
	} {
		f.Add(answer)
	}
	host := approving()
	host.opened = func(agent.Page) agent.Answer { return agent.Answer{Action: agent.Accept} }
	f.Fuzz(func(t *testing.T, answer string) {
		server := &fake{tools: []string{contracted("a.b", writing)}, answer: func(n int, _ client.CallParams) (string, error) {
			if n == 1 {
				return answer, nil
			}
			return ok("done"), nil
		}}
		a, err := connectTo(t.Context(), server, withHost(host.host()), withLimits(agent.Limits{Wait: -1}))
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Call(t.Context(), "a.b", nil)
		retry, isRetry := errors.AsType[*agent.RetryError](err)
		fatal, isFatal := errors.AsType[*agent.FatalError](err)
		switch {
		case isRetry && !isFatal:
			_ = retry.Prompt()
		case isFatal && !isRetry:
			_ = fatal.Prompt()
		case err == nil && r != nil:
			_ = r.Prompt()
		default:
			t.Fatalf("the call ended with %v and the error %v", r, err)
		}
	})
}
