package storetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/audit"
)

// patience is how long a call may take before it counts as hanging. It is the
// only time that a check depends on, and long enough for a busy machine.
const patience = time.Minute

// sinkFault is how long a faulty sink gets to show its fault: to hang, or to
// use the context after Write has returned. A correct sink does neither, so
// this is never too short for it.
const sinkFault = 50 * time.Millisecond

// inTime calls f with the suite's patience; see [bounded].
func inTime(what string, f func() error) (result, violation error) {
	return bounded(patience, func() string { return what }, f)
}

// write calls Write with a context that never ends.
func (h SinkHarness) write(e audit.Event) (result, violation error) {
	return inTime("Write", func() error { return h.Sink.Write(context.Background(), e) })
}

// mustWrite calls Write when there is no reason for it to fail.
func (h SinkHarness) mustWrite(e audit.Event) error {
	err, violation := h.write(e)
	if violation == nil && err != nil {
		return mistake("Write returned an error without a reason: %v", err)
	}
	return violation
}

// kept reads back the events that the sink kept.
func (h SinkHarness) kept() ([]audit.Event, error) {
	events, err := h.Kept()
	if err != nil {
		return nil, mistake("the events cannot be read back: %v", err)
	}
	return events, nil
}

func (h SinkHarness) checkKept() error {
	var want []audit.Event
	for i, kind := range kinds() {
		e := event(kind, id(0, i))
		if err := h.mustWrite(e); err != nil {
			return err
		}
		want = append(want, e)
		got, err := h.kept()
		if err != nil {
			return err
		}
		if len(got) != len(want) {
			return mistake("Write returned nil for %d events, and %d are kept", len(want), len(got))
		}
		if !same(e, got[len(got)-1]) {
			return mistake("an event of kind %v is not kept as it was written", kind)
		}
	}
	return nil
}

func (h SinkHarness) checkOrder() error {
	const n = 100
	var want []string
	for i := range n {
		want = append(want, id(0, i))
		if err := h.mustWrite(event(audit.Terminal, id(0, i))); err != nil {
			return err
		}
	}
	got, err := h.kept()
	if err != nil {
		return err
	}
	if !slices.Equal(want, calls(got, "")) {
		return mistake("%d events written one after the other are not kept in that order", n)
	}
	return nil
}

func (h SinkHarness) checkConcurrent() error {
	const writers, each = 8, 50
	var (
		group sync.WaitGroup
		errs  [writers]error
	)
	for w := range writers {
		group.Go(func() {
			for i := range each {
				kind := audit.Terminal
				if i%10 == 0 {
					kind = audit.Intent
				}
				if errs[w] = h.mustWrite(event(kind, id(w, i))); errs[w] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	got, err := h.kept()
	if err != nil {
		return err
	}
	if len(got) != writers*each {
		return mistake("of %d events by %d goroutines %d are kept", writers*each, writers, len(got))
	}
	for w := range writers {
		for i, call := range calls(got, id(w, 0)[:len(id(w, 0))-1]) {
			if call != id(w, i) {
				return mistake("the events of one of %d goroutines are not kept in its order", writers)
			}
		}
	}
	return nil
}

func (h SinkHarness) checkFailure() error {
	if err := h.mustWrite(event(audit.Intent, id(0, 0))); err != nil {
		return err
	}
	if err := h.Fail(); err != nil {
		return fmt.Errorf("the harness could not make the storage fail: %w", err)
	}
	for i, kind := range kinds() {
		err, violation := h.write(event(kind, id(1, i)))
		if violation != nil {
			return violation
		}
		if err == nil {
			return mistake("Write returned nil for an event of kind %v that cannot be kept", kind)
		}
	}
	return nil
}

func (h SinkHarness) checkCancelled() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for i, kind := range kinds() {
		err, violation := inTime("Write with a context that is done", func() error {
			return h.Sink.Write(ctx, event(kind, id(0, i)))
		})
		if violation != nil {
			return violation
		}
		got, e := h.kept()
		if e != nil {
			return e
		}
		if err == nil && !slices.Contains(calls(got, ""), id(0, i)) {
			return mistake("with a context that is done, Write returned nil for an event of kind %v that is not kept", kind)
		}
	}
	return h.mustWrite(event(audit.Intent, id(1, 0)))
}

func (h SinkHarness) checkStalled() error {
	release := sync.OnceFunc(h.Stall())
	defer release()
	var promised []string
	// The second Write may find the sink busy with the first. A Write that has
	// not reached the storage when its context ends shows nothing.
	for i := range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), sinkFault)
		err, violation := inTime("Write of an intent, while the storage hangs,", func() error {
			return h.Sink.Write(ctx, event(audit.Intent, id(0, i)))
		})
		cancel()
		if violation != nil {
			return violation
		}
		if err == nil {
			promised = append(promised, id(0, i))
		}
	}
	release()
	if err := h.mustWrite(event(audit.Intent, id(1, 0))); err != nil {
		return err
	}
	got, err := h.kept()
	if err != nil {
		return err
	}
	for _, call := range append(promised, id(1, 0)) {
		if !slices.Contains(calls(got, ""), call) {
			return mistake("while the storage hung, Write returned nil for an event that is not kept")
		}
	}
	return nil
}

func (h SinkHarness) checkContext() error {
	const n = 20
	for i := range n {
		ctx, cancel := context.WithCancel(context.Background())
		err, violation := inTime("Write", func() error {
			defer cancel()
			return h.Sink.Write(ctx, event(audit.Terminal, id(0, i)))
		})
		if violation != nil {
			return violation
		}
		if err != nil {
			return mistake("Write returned an error without a reason: %v", err)
		}
	}
	time.Sleep(sinkFault)
	got, err := h.kept()
	if err != nil {
		return err
	}
	if len(got) != n {
		return mistake("of %d events whose context ended after Write had returned %d are kept", n, len(got))
	}
	return nil
}

func (h SinkHarness) checkText() error {
	if err := h.mustWrite(hostile(id(0, 0))); err != nil {
		return err
	}
	raw, err := h.Raw()
	if err != nil {
		return mistake("the text cannot be read back: %v", err)
	}
	if len(raw) == 0 {
		return mistake("nothing was written")
	}
	if !utf8.Valid(raw) {
		return mistake("the text is not UTF-8")
	}
	for _, r := range string(raw) {
		if r != '\n' && !unicode.IsGraphic(r) {
			return mistake("the text contains %U, which is not printable", r)
		}
	}
	for line := range bytes.Lines(raw) {
		if strings.HasPrefix(string(line), forgedLine) {
			return mistake("a line break in a member begins a new line")
		}
	}
	return nil
}
