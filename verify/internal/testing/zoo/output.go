package zoo

import (
	"context"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

func outputs() []Entry {
	return []Entry{
		{
			// "Tool has an output schema but no structured content was
			// provided": the tool could not be used at all.
			Name: "no_structured_content", Rule: RuleOutputInvalid, Source: "remotion-dev/remotion#6275",
			Lie:    "A tool with an output schema returns nothing for a note that it has.",
			Lying:  in(func(w *world) Subject { return w.looked(w.lookAway) }),
			Honest: in(func(w *world) Subject { return w.looked(w.look) }),
		},
		{
			Name: "value_outside_the_enum", Rule: RuleOutputInvalid,
			Lie:    "A tool returns a status that its output schema does not have.",
			Lying:  in(func(w *world) Subject { return w.judged(w.judgeOddly) }),
			Honest: in(func(w *world) Subject { return w.judged(w.judge) }),
		},
		{
			Name: "terminal_sequences", Rule: RuleControlCharacters,
			Lie:    "A tool whose results are trusted returns control characters.",
			Lying:  in(func(w *world) Subject { return w.read(w.readColoured) }),
			Honest: in(func(w *world) Subject { return w.read(w.readNote) }),
		},
		{
			Name: "panic_without_words", Rule: RulePanic,
			Lie:    "A handler panics for a valid text without words.",
			Lying:  in(func(w *world) Subject { return w.titled(w.firstWord) }),
			Honest: in(func(w *world) Subject { return w.titled(w.firstWordOrNone) }),
		},
	}
}

type statusOutput struct {
	Status string `json:"status" jsonschema:"enum=open,enum=done"`
}

func (w *world) looked(h contract.Handler[idInput, *textOutput]) Subject {
	return w.subject(reading("notes.look", "Returns the text of a note.", h).Failures(errNotFound), idInput{"n1"}, idInput{"n9"})
}

func (w *world) judged(h contract.Handler[idInput, statusOutput]) Subject {
	return w.subject(reading("notes.status", "Returns whether a note is done.", h), idInput{"n1"}, idInput{"n9"})
}

func (w *world) titled(h contract.Handler[textInput, textOutput]) Subject {
	return w.subject(reading("notes.title", "Returns the first word of a text.", h), textInput{"Buy milk."}, textInput{" "})
}

func (w *world) look(_ context.Context, in idInput) (*textOutput, error) {
	n, ok := w.get(in.ID)
	if !ok {
		return nil, errNotFound.At("/id")
	}
	return &textOutput{n.Text}, nil
}

func (w *world) lookAway(_ context.Context, in idInput) (*textOutput, error) {
	if _, ok := w.get(in.ID); !ok {
		return nil, errNotFound.At("/id")
	}
	return nil, nil //nolint:nilnil // it is the lie
}

func (w *world) judge(_ context.Context, in idInput) (statusOutput, error) {
	if _, ok := w.get(in.ID); ok {
		return statusOutput{"open"}, nil
	}
	return statusOutput{"done"}, nil
}

func (w *world) judgeOddly(_ context.Context, in idInput) (statusOutput, error) {
	if _, ok := w.get(in.ID); ok {
		return statusOutput{"open"}, nil
	}
	return statusOutput{"archived"}, nil
}

func (w *world) readColoured(ctx context.Context, in idInput) (textOutput, error) {
	out, err := w.readNote(ctx, in)
	if err == nil {
		out.Text = "\x1b[31m" + out.Text + "\x1b[0m"
	}
	return out, err
}

func (w *world) firstWord(_ context.Context, in textInput) (textOutput, error) {
	return textOutput{strings.Fields(in.Text)[0]}, nil
}

func (w *world) firstWordOrNone(_ context.Context, in textInput) (textOutput, error) {
	for word := range strings.FieldsSeq(in.Text) {
		return textOutput{word}, nil
	}
	return textOutput{}, nil
}
