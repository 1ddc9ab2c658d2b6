package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func failureRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("failure-declared", "a declared failure is a result with its code, class, hint, delay and pointer", checkFailureDeclared),
		rule("failure-undeclared", "an error that is not declared is internal_error, and its text is not sent", checkFailureUndeclared),
		rule("failure-panic", "a panic of a handler is internal_error, its value is not sent, and the server goes on",
			checkFailurePanic),
		rule("failure-goexit", "a handler that ends its goroutine is internal_error, and the server goes on", checkFailureGoexit),
		rule("failure-timeout", "a handler that ignores its context is answered with timeout", checkFailureTimeout),
		rule("failure-output", "a result that violates the output schema is output_invalid and is not sent", checkFailureOutput),
	}
}

func checkFailureDeclared(t *checkRun) {
	busy := contract.Retryable("relay_busy", "The relay is busy.")
	tool := reading("notes.count", func(context.Context, noteIn) (lengthOut, error) {
		return lengthOut{}, busy.Errorf("too many notes").At("/text").After(1500 * time.Millisecond).Hint("Wait.")
	}).Failures(busy).MustBuild()
	a := t.serve([]*contract.Tool{tool}).client(nobody).call("notes.count", note("x"))
	o := a.refused("relay_busy")
	a.expect(a.result().IsError, "isError")
	a.expect(o.Class == contract.ClassRetryable, "the class %s", contract.ClassRetryable)
	a.expect(o.Hint == "Wait.", "the hint")
	a.expect(o.RetryAfterMs == 1500, "a delay of 1500 ms")
	a.expect(len(o.Violations) == 1 && o.Violations[0].Pointer == "/text", "the pointer /text")
}

const secretText = "pq: password authentication failed, host=10.0.0.3"

// failing serves a tool with a handler, and a tool that works.
func (t *checkRun) failing(handler contract.Handler[noteIn, lengthOut]) *client {
	tools := []*contract.Tool{reading("notes.fail", handler).MustBuild(), (&counter{}).doubling().MustBuild()}
	return t.serve(tools).client(nobody)
}

func checkFailureUndeclared(t *checkRun) {
	c := t.failing(func(context.Context, noteIn) (lengthOut, error) { return lengthOut{}, errors.New(secretText) })
	a := c.call("notes.fail", note("x"))
	a.refused(contract.CodeInternalError)
	a.without("password", "10.0.0.3")
}

func checkFailurePanic(t *checkRun) {
	for _, value := range []any{secretText, errors.New(secretText), struct{ password string }{secretText}} {
		c := t.failing(func(context.Context, noteIn) (lengthOut, error) { panic(value) })
		for range 3 {
			a := c.call("notes.fail", note("x"))
			a.refused(contract.CodeInternalError)
			a.without("password", "10.0.0.3", "goroutine", ".go:")
		}
		c.call("calc.double", `{"n":1}`).ran()
	}
}

func checkFailureGoexit(t *checkRun) {
	c := t.failing(func(context.Context, noteIn) (lengthOut, error) {
		runtime.Goexit()
		return lengthOut{}, nil
	})
	for range 10 {
		c.call("notes.fail", note("x")).refused(contract.CodeInternalError)
	}
	c.call("calc.double", `{"n":1}`).ran()
}

func checkFailureTimeout(t *checkRun) {
	tool := reading("notes.slow", func(context.Context, noteIn) (lengthOut, error) {
		<-t.released
		return lengthOut{}, nil
	}).Timeout(50 * time.Millisecond).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	c.call("notes.slow", note("x")).refused(contract.CodeTimeout)
}

func checkFailureOutput(t *checkRun) {
	tool := reading("notes.count", func(context.Context, nothing) (lengthOut, error) { return lengthOut{4711}, nil }).
		OutputSchema(json.RawMessage(`{"type":"object","properties":{"length":{"type":"integer","maximum":5}},"required":["length"],` +
			`"additionalProperties":false}`)).MustBuild()
	a := t.serve([]*contract.Tool{tool}).client(nobody).call("notes.count", `{}`)
	a.refused(contract.CodeOutputInvalid)
	a.expect(a.result().StructuredContent == nil, "no structured content")
	a.without("4711")
}
