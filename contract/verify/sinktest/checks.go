package sinktest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
	"github.com/toolcontract/toolcontract/internal/rules"
)

// aWhile is how long a faulty sink has to show its fault: to hang, or to use
// the context after Write has returned. A good sink does neither, so that no
// time is too short for it.
const aWhile = 50 * time.Millisecond

func checkKept(h Harness) error {
	var want []audit.Event
	for i, kind := range kinds() {
		e := event(kind, id(0, i))
		if err := mustWrite(h, e); err != nil {
			return err
		}
		want = append(want, e)
		got, err := kept(h)
		if err != nil {
			return err
		}
		if len(got) != len(want) {
			return rules.Broken("Write returned nil for %d events, and %d are kept", len(want), len(got))
		}
		if !same(e, got[len(got)-1]) {
			return rules.Broken("an event of kind %v is not kept as it was written", kind)
		}
	}
	return nil
}

func checkOrder(h Harness) error {
	const n = 100
	var want []string
	for i := range n {
		want = append(want, id(0, i))
		if err := mustWrite(h, event(audit.Terminal, id(0, i))); err != nil {
			return err
		}
	}
	got, err := kept(h)
	if err != nil {
		return err
	}
	if !slices.Equal(want, calls(got, "")) {
		return rules.Broken("%d events written one after the other are not kept in that order", n)
	}
	return nil
}

func checkConcurrent(h Harness) error {
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
				if errs[w] = mustWrite(h, event(kind, id(w, i))); errs[w] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	got, err := kept(h)
	if err != nil {
		return err
	}
	if len(got) != writers*each {
		return rules.Broken("of %d events by %d goroutines %d are kept", writers*each, writers, len(got))
	}
	for w := range writers {
		for i, call := range calls(got, id(w, 0)[:len(id(w, 0))-1]) {
			if call != id(w, i) {
				return rules.Broken("the events of one of %d goroutines are not kept in its order", writers)
			}
		}
	}
	return nil
}

func checkFailure(h Harness) error {
	if err := mustWrite(h, event(audit.Intent, id(0, 0))); err != nil {
		return err
	}
	if err := h.Fail(); err != nil {
		return fmt.Errorf("the harness could not make the storage fail: %w", err)
	}
	for i, kind := range kinds() {
		err, violation := write(h, event(kind, id(1, i)))
		if violation != nil {
			return violation
		}
		if err == nil {
			return rules.Broken("Write returned nil for an event of kind %v that cannot be kept", kind)
		}
	}
	return nil
}

func checkCancelled(h Harness) error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for i, kind := range kinds() {
		err, violation := within("Write with a context that is done", func() error {
			return h.Sink.Write(ctx, event(kind, id(0, i)))
		})
		if violation != nil {
			return violation
		}
		got, e := kept(h)
		if e != nil {
			return e
		}
		if err == nil && !slices.Contains(calls(got, ""), id(0, i)) {
			return rules.Broken("with a context that is done, Write returned nil for an event of kind %v that is not kept", kind)
		}
	}
	return mustWrite(h, event(audit.Intent, id(1, 0)))
}

func checkStalled(h Harness) error {
	release := sync.OnceFunc(h.Stall())
	defer release()
	var promised []string
	// The second Write may find a sink that is busy with the first. If a Write
	// has not reached the storage when its context ends, it shows nothing.
	for i := range 2 {
		ctx, cancel := context.WithTimeout(context.Background(), aWhile)
		err, violation := within("Write of an intent, while the storage hangs,", func() error {
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
	if err := mustWrite(h, event(audit.Intent, id(1, 0))); err != nil {
		return err
	}
	got, err := kept(h)
	if err != nil {
		return err
	}
	for _, call := range append(promised, id(1, 0)) {
		if !slices.Contains(calls(got, ""), call) {
			return rules.Broken("while the storage hung, Write returned nil for an event that is not kept")
		}
	}
	return nil
}

func checkContext(h Harness) error {
	const n = 20
	for i := range n {
		ctx, cancel := context.WithCancel(context.Background())
		err, violation := within("Write", func() error {
			defer cancel()
			return h.Sink.Write(ctx, event(audit.Terminal, id(0, i)))
		})
		if violation != nil {
			return violation
		}
		if err != nil {
			return rules.Broken("Write returned an error without a reason: %v", err)
		}
	}
	time.Sleep(aWhile)
	got, err := kept(h)
	if err != nil {
		return err
	}
	if len(got) != n {
		return rules.Broken("of %d events whose context ended after Write had returned %d are kept", n, len(got))
	}
	return nil
}

func checkText(h Harness) error {
	if err := mustWrite(h, hostile(id(0, 0))); err != nil {
		return err
	}
	raw, err := h.Raw()
	if err != nil {
		return rules.Broken("the text cannot be read back: %v", err)
	}
	if len(raw) == 0 {
		return rules.Broken("nothing was written")
	}
	if !utf8.Valid(raw) {
		return rules.Broken("the text is not UTF-8")
	}
	for _, r := range string(raw) {
		if r != '\n' && !unicode.IsGraphic(r) {
			return rules.Broken("the text contains %U, which is not printable", r)
		}
	}
	for line := range bytes.Lines(raw) {
		if strings.HasPrefix(string(line), forgedLine) {
			return rules.Broken("a line break in a member begins a new line")
		}
	}
	return nil
}
