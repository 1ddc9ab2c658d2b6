package adapters_test

import (
	"context"
	"encoding/json"
	"math"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/rules"
)

func progressRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("progress-sent", "progress is sent while the handler runs, to the client that sent a progressToken", checkProgressSent,
			progress),
		rule("progress-unasked", "without a progressToken no progress is sent", checkProgressUnasked, progress),
		rule("progress-numbers", "progress that JSON cannot write is dropped, and the call goes on", checkProgressNumbers, progress),
		rule("progress-unread", "a client that does not read does not stop the handler", checkProgressUnread, progress, overStream),
	}
}

func cancelRules() []rules.Check[Harness] {
	return []rules.Check[Harness]{
		rule("cancel-read", "a read ends with its client's cancellation, and is audited as cancelled", checkCancelRead, cancels),
		rule("cancel-write", "a write is finished although its client cancels it, and is audited as such", checkCancelWrite),
		rule("cancel-other", "the cancellation of another caller's request with the same id has no effect", checkCancelOther, overHTTP,
			inNewer),
	}
}

func checkProgressSent(t *checkRun) {
	heard := make(chan struct{})
	tool := reading("notes.count", func(ctx context.Context, _ noteIn) (lengthOut, error) {
		for _, report := range []func(){
			func() { guard.Progress(ctx, 1, 4, "a quarter") },
			func() { guard.Progress(ctx, 2, 0, "") },
		} {
			report()
			select {
			case <-heard:
			case <-t.released:
			}
		}
		return lengthOut{}, nil
	}).MustBuild()
	tick := reading("notes.tick", func(ctx context.Context, _ noteIn) (lengthOut, error) {
		guard.Progress(ctx, 1, 0, "")
		return lengthOut{}, nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool, tick}).client(nobody)
	// Progress is best effort. mcp-go's stdio servers in one process share a
	// queue, and one that has just ended may take one more item from it.
	for range 3 {
		if len(c.start(call{tool: "notes.tick", arguments: note("x"), meta: `"progressToken":1`}.request()).wait().progress) > 0 {
			break
		}
	}
	for _, token := range []string{`"p-1"`, `5`} {
		p := c.start(call{tool: "notes.count", arguments: note("x"), meta: `"progressToken":` + token}.request())
		for range 2 {
			wait(t, p.heard, "progress")
			heard <- struct{}{}
		}
		a := p.wait()
		a.ran()
		a.expect(len(a.progress) == 2, "two notifications of progress, but there were %d", len(a.progress))
		for i, want := range []string{`{"progressToken":` + token + `,"progress":1,"total":4,"message":"a quarter"}`,
			`{"progressToken":` + token + `,"progress":2}`} {
			a.expect(equalJSON(a.progress[i].Params, json.RawMessage(want)), "the progress %s, but it was %s", want, a.progress[i].text)
		}
	}
}

func checkProgressUnasked(t *checkRun) {
	tool := reading("notes.count", func(ctx context.Context, _ noteIn) (lengthOut, error) {
		guard.Progress(ctx, 1, 2, "half")
		return lengthOut{}, nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	for range 3 {
		c.call("notes.count", note("x")).ran()
	}
	t.expect(c.notified.Load() == 0, "no progress, but %d notifications came", c.notified.Load())
}

func checkProgressNumbers(t *checkRun) {
	tool := reading("notes.count", func(ctx context.Context, _ noteIn) (lengthOut, error) {
		guard.Progress(ctx, math.Inf(1), 2, "")
		guard.Progress(ctx, 1, math.NaN(), "")
		return lengthOut{}, nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	a := c.send(call{tool: "notes.count", arguments: note("x"), meta: `"progressToken":"p-1"`})
	a.ran()
	c.call("notes.count", note("y")).ran()
	t.expect(c.notified.Load() == 0, "no progress, but %d notifications came", c.notified.Load())
}

func checkProgressUnread(t *checkRun) {
	done := make(chan struct{}, 1)
	tool := reading("notes.count", func(ctx context.Context, _ noteIn) (lengthOut, error) {
		for i := range 5000 {
			guard.Progress(ctx, float64(i), 0, "some")
		}
		done <- struct{}{}
		return lengthOut{}, nil
	}).MustBuild()
	c := t.serve([]*contract.Tool{tool}).client(nobody)
	resume := c.pause()
	t.atEnd(resume)
	p := c.start(call{tool: "notes.count", arguments: note("x"), meta: `"progressToken":"p-1"`}.request())
	wait(t, done, "the handler to end although the client does not read")
	resume()
	p.wait().ran()
}

func checkCancelRead(t *checkRun) {
	g := t.gate()
	s := t.serve([]*contract.Tool{reading("notes.wait", g.untilDone).MustBuild()})
	c := s.client(nobody)
	for range 3 {
		p := c.start(call{tool: "notes.wait", arguments: note("x")}.request())
		wait(t, g.begun, "the handler to begin")
		p.hangUp()
		t.expect(wait(t, g.ended, "the handler to end with its client"), "the context of the handler to end")
	}
	for _, e := range s.terminal() {
		t.expect(e.Status == contract.StatusCancelled.String(), "events with the status cancelled, but the log has %s", t.encode(e))
	}
}

// finished expects that a write that had started was finished and audited.
func (s *server) finished(g *gate) {
	close(g.opened)
	s.t.expect(!wait(s.t, g.ended, "the handler to end"), "the context of the handler to go on")
	events := s.terminal()
	s.t.expect(len(events) == 1 && events[0].Status == contract.StatusOK.String() && events[0].Decision == audit.Allow &&
		events[0].Principal == alice,
		"one event of %s with the status ok, but the log has %s", alice, s.t.encode(events))
}

func checkCancelWrite(t *checkRun) {
	g := t.gate()
	s := t.serve([]*contract.Tool{writing("notes.wait", g.hold).MustBuild()})
	c := s.client(alice)
	p := c.start(call{tool: "notes.wait", arguments: note("x")}.request())
	wait(t, g.begun, "the handler to begin")
	p.hangUp()
	c.page("") // so that the cancellation has arrived
	s.finished(g)
}

func checkCancelOther(t *checkRun) {
	g := t.gate()
	s := t.serve([]*contract.Tool{writing("notes.wait", g.hold).MustBuild()})
	c := s.client(alice)
	p := c.start(call{tool: "notes.wait", arguments: note("x")}.request())
	wait(t, g.begun, "the handler to begin")
	c.as(bob).notify(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(t.encode(p.id)) +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + string(newer) +
		`","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	c.page("")
	s.finished(g)
	p.wait().ran()
}
