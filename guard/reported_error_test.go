package guard_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// reporting returns a tool that fails as a wrapped handler does.
func reporting(name string, e bound.HandlerError) *contract.Builder[payInput, payOutput] {
	e.Kind = bound.Reported
	return contract.New(name, func(context.Context, payInput) (payOutput, error) { return payOutput{}, &e }).
		From(writing())
}

func TestReportedError_PartThatIsLeftOutIsLoggedOnce(t *testing.T) {
	t.Parallel()
	image, priority := contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"}, math.NaN()
	for name, e := range map[string]bound.HandlerError{
		"an item that could not be read": {Unread: errors.New("not base64")},
		"an item that is not allowed": {Content: []contract.Content{contract.TextContent{Text: "x"}, image,
			contract.LinkContent{Annotations: contract.Annotations{Priority: &priority}}}},
		"ambiguous structured content": {Structured: []byte(`{"a":1,"a":2}`), Content: []contract.Content{image}},
		"a _meta that panics": {Content: []contract.Content{
			contract.ImageContent{Meta: map[string]any{"a": explodingOutput{}}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &serverLog{}
			e.Err = errClosed
			k := newKit(t, []*contract.Tool{reporting("pay.now", e).MustBuild(), reporting("pay.later",
				bound.HandlerError{Err: errClosed}).MustBuild()}, log.option(), guard.WithRetryBudget(0, 0))
			for range 3 {
				refused(t, k.call(alice, "pay.now", validPay), errClosed.Code(), contract.ClassFatal)
				refused(t, k.call(alice, "pay.later", validPay), errClosed.Code(), contract.ClassFatal)
			}
			var left []logLine
			for _, line := range log.lines(t) {
				if line.Level == "WARN" {
					left = append(left, line)
				}
			}
			require.Len(t, left, 1)
			assert.Equal(t, "pay.now", left[0].Tool)
			assert.NotEmpty(t, left[0].Error)
		})
	}
}

func TestReportedError_ThatBreaksANewContractIsNotReplayed(t *testing.T) {
	t.Parallel()
	type narrowed struct {
		Paid int64 `json:"paid" jsonschema:"maximum=5"`
	}
	store := newMemory(t)
	serve := func(tool *contract.Tool) *guard.Result {
		return newKit(t, []*contract.Tool{tool}, guard.WithStore(store), sealing).call(alice, "pay.now", validPay)
	}
	e := bound.HandlerError{Err: errClosed, Structured: []byte(`{"paid":10}`),
		Content: []contract.Content{contract.ImageContent{Data: make([]byte, 100)}}}
	first := serve(reporting("pay.now", e).Idempotency(byArguments).MustBuild())
	require.JSONEq(t, `{"paid":10}`, string(first.Structured))
	replayOf(t, first, serve(reporting("pay.now", e).Idempotency(byArguments).MustBuild()))
	for name, tool := range map[string]*contract.Tool{
		"a narrower schema": contract.New("pay.now", func(context.Context, payInput) (narrowed, error) {
			return narrowed{},
				nil
		}).From(writing()).Idempotency(byArguments).MustBuild(),
		"a text result": contract.New("pay.now", func(context.Context, payInput) (string, error) {
			return "", nil
		}).From(writing()).Idempotency(byArguments).MustBuild(),
		"a smaller limit": reporting("pay.now", e).Idempotency(byArguments).MaxResultBytes(50).MustBuild(),
	} {
		assert.Equal(t, contract.CodeAlreadyDone, serve(tool).Outcome.Code, name)
	}
}
