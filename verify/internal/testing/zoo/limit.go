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
			Lying:  in(func(nb *notebook) Subject { return nb.waited(nb.waitOn) }),
			Honest: in(func(nb *notebook) Subject { return nb.waited(nb.wait) }),
		},
		{
			Name: "result_over_the_bound", Rule: RuleSize,
			Lie:    "A tool returns more bytes than its contract allows.",
			Lying:  in(func(nb *notebook) Subject { return nb.exported(nb.exportAll) }),
			Honest: in(func(nb *notebook) Subject { return nb.exported(nb.exportSome) }),
		},
	}
}

const (
	maxWait  = 50 * time.Millisecond
	longWait = 6 * time.Second // package verify waits 2 seconds for a handler, and a closing guard waits 10
	maxBytes = 1 << 10
)

type waitInput struct {
	Long bool `json:"long" jsonschema:"description=Wait longer than a call may take."`
}

// waited returns a tool that waits. Its first call ends in time, its second one
// does not.
func (nb *notebook) waited(h contract.Handler[waitInput, struct{}]) Subject {
	return nb.subject(reading("notes.wait", "Waits for the next note.", h).Timeout(maxWait), waitInput{}, waitInput{Long: true})
}

func (nb *notebook) wait(ctx context.Context, in waitInput) (struct{}, error) {
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

func (nb *notebook) waitOn(_ context.Context, in waitInput) (struct{}, error) {
	if in.Long {
		time.Sleep(longWait)
	}
	return struct{}{}, nil
}

func (nb *notebook) exported(h contract.Handler[textInput, textOutput]) Subject {
	return nb.subject(
		reading("notes.export", "Returns a text as often as it fits.", h).MaxResultBytes(maxBytes), textInput{"milk"})
}

func (nb *notebook) exportAll(_ context.Context, in textInput) (textOutput, error) {
	return textOutput{strings.Repeat(in.Text, maxBytes)}, nil
}

func (nb *notebook) exportSome(_ context.Context, in textInput) (textOutput, error) {
	if len(in.Text) > maxBytes/10 { // a character can need six bytes in JSON
		return textOutput{}, nil
	}
	return textOutput(in), nil
}
