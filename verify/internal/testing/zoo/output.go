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
			Lying:  in(func(nb *notebook) Subject { return nb.looked(nb.lookAway) }),
			Honest: in(func(nb *notebook) Subject { return nb.looked(nb.look) }),
		},
		{
			Name: "value_outside_the_enum", Rule: RuleOutputInvalid,
			Lie:    "A tool returns a status that its output schema does not have.",
			Lying:  in(func(nb *notebook) Subject { return nb.judged(nb.judgeOddly) }),
			Honest: in(func(nb *notebook) Subject { return nb.judged(nb.judge) }),
		},
		{
			Name: "terminal_sequences", Rule: RuleControlCharacters,
			Lie:    "A tool whose results are trusted returns control characters.",
			Lying:  in(func(nb *notebook) Subject { return nb.read(nb.readColoured) }),
			Honest: in(func(nb *notebook) Subject { return nb.read(nb.readNote) }),
		},
		{
			Name: "panic_without_words", Rule: RulePanic,
			Lie:    "A handler panics for a valid text without words.",
			Lying:  in(func(nb *notebook) Subject { return nb.titled(nb.firstWord) }),
			Honest: in(func(nb *notebook) Subject { return nb.titled(nb.firstWordOrNone) }),
		},
	}
}

type statusOutput struct {
	Status string `json:"status" jsonschema:"enum=open,enum=done"`
}

func (nb *notebook) looked(h contract.Handler[idInput, *textOutput]) Subject {
	return nb.subject(reading("notes.look", "Returns the text of a note.", h).Failures(errNotFound), idInput{"n1"}, idInput{"n9"})
}

func (nb *notebook) judged(h contract.Handler[idInput, statusOutput]) Subject {
	return nb.subject(reading("notes.status", "Returns whether a note is done.", h), idInput{"n1"}, idInput{"n9"})
}

func (nb *notebook) titled(h contract.Handler[textInput, textOutput]) Subject {
	return nb.subject(reading("notes.title", "Returns the first word of a text.", h), textInput{"Buy milk."}, textInput{" "})
}

func (nb *notebook) look(_ context.Context, in idInput) (*textOutput, error) {
	n, ok := nb.get(in.ID)
	if !ok {
		return nil, errNotFound.At("/id")
	}
	return &textOutput{n.Text}, nil
}

func (nb *notebook) lookAway(_ context.Context, in idInput) (*textOutput, error) {
	if _, ok := nb.get(in.ID); !ok {
		return nil, errNotFound.At("/id")
	}
	return nil, nil //nolint:nilnil // it is the lie
}

func (nb *notebook) judge(_ context.Context, in idInput) (statusOutput, error) {
	if _, ok := nb.get(in.ID); ok {
		return statusOutput{"open"}, nil
	}
	return statusOutput{"done"}, nil
}

func (nb *notebook) judgeOddly(_ context.Context, in idInput) (statusOutput, error) {
	if _, ok := nb.get(in.ID); ok {
		return statusOutput{"open"}, nil
	}
	return statusOutput{"archived"}, nil
}

func (nb *notebook) readColoured(ctx context.Context, in idInput) (textOutput, error) {
	out, err := nb.readNote(ctx, in)
	if err == nil {
		out.Text = "\x1b[31m" + out.Text + "\x1b[0m"
	}
	return out, err
}

func (nb *notebook) firstWord(_ context.Context, in textInput) (textOutput, error) {
	return textOutput{strings.Fields(in.Text)[0]}, nil
}

func (nb *notebook) firstWordOrNone(_ context.Context, in textInput) (textOutput, error) {
	for word := range strings.FieldsSeq(in.Text) {
		return textOutput{word}, nil
	}
	return textOutput{}, nil
}
