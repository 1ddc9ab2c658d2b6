package zoo

import (
	"context"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

func limits() []Entry {
	return []Entry{
		{
			Name: "deadline_not_heeded", Rule: RuleDeadlineIgnored,
			Lie:    "A handler goes on after its deadline.",
			Lying:  in(func(w *world) Subject { return w.waited(w.waitOn) }),
			Honest: in(func(w *world) Subject { return w.waited(w.wait) }),
		},
		{
			Name: "result_over_the_bound", Rule: RuleSize,
			Lie:    "A tool returns more bytes than its contract allows.",
			Lying:  in(func(w *world) Subject { return w.exported(w.exportAll) }),
			Honest: in(func(w *world) Subject { return w.exported(w.exportSome) }),
		},
	}
}

const (
	maxWait  = 50 * time.Millisecond
	longWait = 6 * time.Second // package verify waits 2 seconds for a handler, and a guard that closes waits 10
	maxBytes = 1 << 10
)

type waitInput struct {
	Long bool `json:"long" jsonschema:"description=Wait longer than a call may take."`
}

// waited returns a tool that waits. Its first call ends in time, and its second
// does not.
func (w *world) waited(h contract.Handler[waitInput, struct{}]) Subject {
	return w.subject(reading("notes.wait", "Waits for the next note.", h).Timeout(maxWait), waitInput{}, waitInput{Long: true})
}

func (w *world) wait(ctx context.Context, in waitInput) (struct{}, error) {
	if !in.Long {
		return struct{}{}, nil
	}
	select {
	case <-time.After(longWait):
		return struct{}{}, nil
	case <-ctx.Done():
		return struct{}{}, ctx.Err()
	}
}

func (w *world) waitOn(_ context.Context, in waitInput) (struct{}, error) {
	if in.Long {
		time.Sleep(longWait)
	}
	return struct{}{}, nil
}

func (w *world) exported(h contract.Handler[textInput, textOutput]) Subject {
	return w.subject(reading("notes.export", "Returns a text as often as it fits.", h).MaxResultBytes(maxBytes), textInput{"milk"})
}

func (w *world) exportAll(_ context.Context, in textInput) (textOutput, error) {
	return textOutput{strings.Repeat(in.Text, maxBytes)}, nil
}

func (w *world) exportSome(_ context.Context, in textInput) (textOutput, error) {
	if len(in.Text) > maxBytes/10 { // a character can need six bytes in JSON
		return textOutput{}, nil
	}
	return textOutput(in), nil
}
