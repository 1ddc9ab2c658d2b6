package adapters_test

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func auditRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("audit-terminal", "every call has exactly one terminal event, whatever ended it, with the id in its outcome",
			checkAuditTerminal),
		rule("audit-caller", "events have the caller of their own request", checkAuditCaller),
	}
}

func endRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("end-call", "a write that runs when the stream ends is finished and audited", checkEndCall, overStream),
		rule("end-answers", "every request that was read before the end of the input is answered", checkEndAnswers, overStream),
		rule("end-close", "a server ends soon after its input, also after a handler that ended its goroutine or that never ends",
			checkEndClose, overStream),
		rule("end-line", "a line that is not JSON does not end the session", checkEndLine, overStream, recovers),
		rule("end-guard", "after the guard was closed, calls are refused as unavailable", checkEndGuard),
	}
}

func checkAuditTerminal(t *checkRun) {
	n := &counter{}
	declared := contract.Fatal("gone", "It is gone.")
	s := t.serve([]*contract.Tool{
		n.doubling().MustBuild(), n.noting().MustBuild(),
		reading("notes.gone", func(context.Context, noteIn) (lengthOut, error) {
			return lengthOut{},
				declared.Errorf("gone")
		}).Failures(declared).MustBuild(),
		reading("notes.panic", func(context.Context, noteIn) (lengthOut, error) {
			panic("oh")
		}).MustBuild(),
	})
	c := s.client(alice)
	var want []string
	for _, a := range []answer{
		c.call("calc.double", `{"n":1}`), c.call("calc.double", `{"n":"x"}`), c.as(bob).call("notes.write", note("x")),
		c.call("notes.write", note("x")), c.call("notes.gone", note("x")), c.call("notes.panic", note("x")),
	} {
		want = append(want, a.outcome().CallID)
	}
	var got []string
	events := s.terminal()
	for _, e := range events {
		t.expect(e.ContractDigest != "" && e.Version == "1.0.0" && e.Stage != "", "events with the contract and the stage, but "+
			"the log has %s", t.encode(e))
		got = append(got, e.CallID)
	}
	slices.Sort(want)
	slices.Sort(got)
	t.expect(slices.Equal(got, want), "the events of the calls %v, but the log has %v", want, got)
	t.expect(!slices.ContainsFunc(events, func(e audit.Event) bool { return e.Kind != audit.Terminal }), "terminal events")
}

func checkAuditCaller(t *checkRun) {
	s := t.serve((&counter{}).all())
	c := s.client(nobody)
	callers := []string{nobody, alice, bob, alice, nobody}
	for _, who := range callers {
		c.as(who).call("calc.double", `{"n":1}`).ran()
	}
	var got []string
	for _, e := range s.terminal() {
		got = append(got, e.Principal)
	}
	t.expect(slices.Equal(got, callers), "events of the callers %q, but the log has %q", callers, got)
}

func checkEndCall(t *checkRun) {
	g := t.gate()
	s := t.serve([]*contract.Tool{writing("notes.wait", g.hold).MustBuild()})
	c := s.client(alice)
	c.start(call{tool: "notes.wait", arguments: note("x")}.request())
	wait(t, g.begun, "the handler to begin")
	closed := make(chan struct{}, 1)
	go func() {
		_ = c.conn.Close()
		closed <- struct{}{}
	}()
	wait(t, c.ended, "the stream to end")
	s.finished(g)
	wait(t, closed, "Close to return")
}

func checkEndAnswers(t *checkRun) {
	g := t.gate()
	s := t.serve([]*contract.Tool{writing("notes.wait", g.hold).MustBuild()})
	c := s.client(alice)
	half, ok := c.conn.(interface{ CloseWrite() error })
	if !ok {
		return // the harness can't end the input alone
	}
	var sent []*pending
	for _, text := range []string{"a", "b", "c"} {
		sent = append(sent, c.start(call{tool: "notes.wait", arguments: note(text)}.request()))
		wait(t, g.begun, "the handler to begin")
	}
	t.expect(half.CloseWrite() == nil, "CloseWrite to return nil")
	close(g.opened)
	for _, p := range sent {
		p.wait().ran()
	}
	wait(t, c.ended, "the stream to end after its input")
}

func checkEndClose(t *checkRun) {
	begun := make(chan struct{}, 1)
	tools := []*contract.Tool{
		reading("notes.exit", func(context.Context, nothing) (string, error) { runtime.Goexit(); return "", nil }).MustBuild(),
		reading("notes.stuck", func(context.Context, nothing) (string, error) {
			begun <- struct{}{}
			<-t.released
			return "", nil
		}).MustBuild(),
	}
	s := t.serve(tools, withGuard(guard.WithTimes(guard.Times{Drain: 50 * time.Millisecond})))
	c := s.client(nobody)
	c.call("notes.exit", `{}`).refused(contract.CodeInternalError)
	c.start(call{tool: "notes.stuck", arguments: `{}`}.request())
	wait(t, begun, "the handler to begin")
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		t.expect(half.CloseWrite() == nil, "CloseWrite to return nil")
		wait(t, c.ended, "the stream to end after its input")
	}
	closed := make(chan struct{}, 1)
	go func() {
		_ = c.conn.Close()
		closed <- struct{}{}
	}()
	wait(t, closed, "Close of the connection to return")
}

func checkEndLine(t *checkRun) {
	n := &counter{}
	c := t.serve([]*contract.Tool{n.doubling().MustBuild()}).client(nobody)
	for _, line := range []string{"garbage", `{"jsonrpc":`, `[1,2`, "\x00\xff"} {
		c.write(line)
		c.call("calc.double", `{"n":1}`).ran()
	}
}

func checkEndGuard(t *checkRun) {
	n := &counter{}
	s := t.serve([]*contract.Tool{n.doubling().MustBuild()})
	c := s.client(nobody)
	s.close()
	c.call("calc.double", `{"n":1}`).refused(contract.CodeUnavailable)
	t.expect(n.runs() == 0, "that nothing runs")
}
