package audit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/audit"
)

// A function can count refusals and pass every event on.
func ExampleFunc() {
	var kept audit.Recorder
	refusals := 0
	sink := audit.Func(func(ctx context.Context, e audit.Event) error {
		if e.Decision == audit.Deny {
			refusals++
		}
		return kept.Write(ctx, e)
	})
	for _, decision := range []audit.Decision{audit.Allow, audit.Deny} {
		err := sink.Write(context.Background(),
			audit.Event{Time: time.Now(), Kind: audit.Terminal, Tool: "notes.add", Decision: decision})
		if err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(len(kept.Events()), "events,", refusals, "refused")
	// Output: 2 events, 1 refused
}

// The log file is required: without it, calls that must be recorded are
// refused. The metrics are not.
func ExampleTee() {
	var file, metrics audit.Recorder // such as an [audit.FileSink] and a counter
	sink := audit.Tee(&file, audit.Optional(&metrics, nil))
	if err := sink.Write(context.Background(), audit.Event{Time: time.Now(), Kind: audit.Terminal, Tool: "notes.add"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(file.Events()), len(metrics.Events()))
	// Output: 1 1
}
