package zoo

import (
	"context"
	"fmt"

	"github.com/toolcontract/toolcontract/contract"
)

func failures() []Entry {
	return []Entry{
		{
			Name: "failure_not_declared", Rule: RuleFailureUndeclared,
			Lie:    "A handler returns a failure for one id that the tool does not declare.",
			Lying:  in(func(nb *notebook) Subject { return nb.read(nb.readWithQuota) }),
			Honest: in(func(nb *notebook) Subject { return nb.read(nb.readNote) }),
		},
		{
			Name: "plain_error", Rule: RuleFailureUndeclared,
			Lie:    "A handler returns a plain error for one id, in place of the declared failure.",
			Lying:  in(func(nb *notebook) Subject { return nb.read(nb.readPlainly) }),
			Honest: in(func(nb *notebook) Subject { return nb.read(nb.readNote) }),
		},
		{
			Name: "rare_failure_not_declared", Rule: RuleFailureUndeclared,
			Lie:    "A handler returns a failure that the tool does not declare, for one text in a helper.",
			Lying:  in(func(nb *notebook) Subject { return nb.read(nb.readRarely) }),
			Honest: in(func(nb *notebook) Subject { return nb.read(nb.readNote) }),
		},
		{
			Name: "failure_never_returned", Rule: RuleFailureNeverReturned,
			Lie:    "A tool declares a failure that no path of its handler returns.",
			Lying:  in(func(nb *notebook) Subject { return nb.read(nb.readNote, errQuota) }),
			Honest: in(func(nb *notebook) Subject { return nb.read(nb.readNote) }),
		},
	}
}

var errQuota = contract.Retryable("quota_exhausted", "The quota of reads is exhausted.")

// read returns a tool that reads a note. The first case fails and the second
// has an answer.
func (nb *notebook) read(h contract.Handler[idInput, textOutput], more ...*contract.Failure) Subject {
	return nb.subject(reading("notes.read", "Returns the text of a note.", h).Failures(errNotFound).Failures(more...),
		idInput{"n9"}, idInput{"n1"})
}

func (nb *notebook) readNote(_ context.Context, in idInput) (textOutput, error) {
	n, ok := nb.get(in.ID)
	if !ok {
		return textOutput{}, errNotFound.At("/id")
	}
	return textOutput{n.Text}, nil
}

func (nb *notebook) readWithQuota(ctx context.Context, in idInput) (textOutput, error) {
	if in.ID == "n9" {
		return textOutput{}, errQuota.Hint("Wait until tomorrow.")
	}
	return nb.readNote(ctx, in)
}

func (nb *notebook) readPlainly(ctx context.Context, in idInput) (textOutput, error) {
	out, err := nb.readNote(ctx, in)
	if in.ID == "n9" {
		return textOutput{}, fmt.Errorf("no note %s", in.ID)
	}
	return out, err
}

func (nb *notebook) readRarely(ctx context.Context, in idInput) (textOutput, error) {
	out, err := nb.readNote(ctx, in)
	if err == nil {
		err = nb.checked(out)
	}
	return out, err
}

// checked returns the undeclared failure if no note begins with the text.
func (*notebook) checked(out textOutput) error {
	if out.Text == "The vault is empty." {
		return errQuota.Hint("Wait until tomorrow.")
	}
	return nil
}
