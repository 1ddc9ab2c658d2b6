// Package tools declares tools, some of which return other errors than they
// declare.
package tools

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify/failurecheck/testdata/mail"
)

var (
	errMissing = contract.Retryable("missing", "There is no note.") // want `neverReturned\] notes.undeclared: failureModes: missing` `neverReturned\] notes.method: failureModes: missing`
	errBusy    = contract.Retryable("busy", "The service is busy.")
	errAlias   = errBusy.EffectPossible()
)

type in struct {
	ID string `json:"id"`
}

type out struct {
	Text string `json:"text"`
}

// All are the tools.
var All = []*contract.Tool{
	declared, undeclared, plain, other, pruned, mailed, mapped, stored, fromTags, dry, allowed, passed, deferred, asserted, method,
	reserved, byCode, byTag, unknownCode, byVariable,
}

func build[In, Out any](b *contract.Builder[In, Out]) *contract.Tool {
	return b.Description("Reads a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Permissions("notes:write").MustBuild()
}

// All failures are declared.
var declared = build(contract.New("notes.declared", readDeclared).Failures(errMissing, errBusy))

func readDeclared(ctx context.Context, i in) (out, error) {
	switch {
	case i.ID == "":
		return out{}, errMissing.At("/id").Hint("List the notes.")
	case i.ID == "x":
		return out{}, errAlias.Errorf("busy with %s", i.ID)
	case ctx.Err() != nil:
		return out{}, ctx.Err()
	}
	return out{}, nil
}

// The guard answers with these codes too, so no path has to return them.
var reserved = build(contract.New("notes.reserved", readReserved).Failures(
	contract.Fatal(contract.CodePolicyViolation, "A policy refuses it."),
	contract.Retryable(contract.CodeUnavailable, "The notes are not there now."),
))

func readReserved(context.Context, in) (out, error) { return out{}, nil }

// Failures by their codes.
var byCode = build(contract.New("notes.by_code", failByCode).Failures(contract.Fatal("locked", "The note is locked.")))

func failByCode(_ context.Context, i in) (out, error) {
	if i.ID == "" {
		return out{}, fmt.Errorf("at once: %w", contract.Fail("locked").At("/id"))
	}
	return out{}, contract.Fail("locked", "locked by %s", i.ID).Wrap(os.ErrExist)
}

type taggedIn struct {
	_  contract.FailureTag `code:"taken" class:"retryable" description:"Another note has the id."`
	ID string              `json:"id"`
}

var byTag = build(contract.New("notes.by_tag", func(context.Context, taggedIn) (out, error) { return out{}, taken() }))

func taken() *contract.Error { return contract.Fail("taken") }

var unknownCode = build(contract.New("notes.unknown_code", failUnknown))

const misspelt = "take" + "n"

func failUnknown(_ context.Context, i in) (out, error) {
	if i.ID == "" {
		return out{}, contract.Fail(misspelt, i.ID) // want `\[failure.undeclared\] notes.unknown_code: failureModes: taken: .*`
	}
	return out{}, contract.Fail("lokced") // want `\[failure.undeclared\] notes.unknown_code: failureModes: lokced: .*`
}

var byVariable = build(contract.New("notes.by_variable", func(_ context.Context, i in) (out, error) {
	return out{}, contract.Fail(i.ID)
}))

// One failure is not declared, one is never returned.
var undeclared = build(contract.New("notes.undeclared", readUndeclared).
	Failures(errMissing))

func readUndeclared(context.Context, in) (out, error) {
	err := helper(2)
	return out{}, err
}

func helper(n int) error {
	var err error
	for range n {
		err = errBusy // want `\[failure.undeclared\] notes.undeclared: failureModes: busy: .*`
	}
	return err
}

// Errors that are no failures.
var plain = build(contract.New("notes.plain", readPlain).Failures(errMissing))

func readPlain(_ context.Context, i in) (out, error) {
	data, err := os.ReadFile(i.ID)
	if os.IsNotExist(err) {
		return out{}, errMissing
	}
	if err != nil {
		return out{}, fmt.Errorf("read: %w", err) // want `\[failure.undeclared\] notes.plain: failureModes: internal_error: the handler can return fmt.Errorf, .*`
	}
	if len(data) == 0 {
		return out{}, errors.New("empty") // want `internal_error: the handler can return errors.New`
	}
	return out{string(data)}, mail.ErrOffline // want `internal_error: the handler can return the error mail.ErrOffline`
}

// OtherErrors declares all others.
var other = build(contract.New("notes.other", readPlain2).Failures(errMissing).OtherErrors(contract.ClassFatal))

func readPlain2(_ context.Context, i in) (out, error) {
	if i.ID == "" {
		return out{}, errMissing
	}
	return out{}, errors.New("whatever")
}

// A condition excludes the failure.
var pruned = build(contract.New("notes.pruned", readPruned).Failures(errMissing))

func readPruned(context.Context, in) (out, error) {
	err := either()
	if errors.Is(err, errBusy) {
		return out{}, errMissing.Wrap(err)
	}
	if err != nil {
		return out{}, err
	}
	return out{}, nil
}

func either() error {
	if os.Getpid() == 1 {
		return errBusy
	}
	return errMissing
}

// Failures and functions of another package.
var mailed = build(contract.New("notes.mailed", send).Failures(mail.ErrFull, mail.ErrGone))

func send(_ context.Context, i in) (out, error) {
	if err := mail.Check(i.ID); err != nil {
		return out{}, err
	}
	return out{}, mail.Mapped(os.Remove(i.ID))
}

// mapped keeps a failure of another package and wraps all others.
var mapped = build(contract.New("notes.mapped", sendMapped).Failures(mail.ErrFull))

func sendMapped(context.Context, in) (out, error) {
	return out{}, mail.Mapped(mail.ErrGone) // want `undeclared\] notes.mapped: failureModes: mailbox_gone`
}

// An interface can return anything, which is no finding.
var stored = build(contract.New("notes.stored", store).Failures(errMissing))

var anywhere mail.Store

func store(context.Context, in) (out, error) { return out{}, anywhere.Save() }

// The failures of tags.
type tagged struct {
	_ contract.Tags       `name:"notes.tagged"`
	_ contract.FailureTag `code:"busy" class:"retryable" description:"The service is busy."`
}

var fromTags = build(contract.New("", readTagged))

func readTagged(context.Context, tagged) (out, error) {
	return out{}, errBusy.Errorf("busy for %d seconds", 5)
}

// The function of a dry run returns failures too.
var dry = build(contract.New("notes.dry", readOK).DryRun(dryrun.By(preview)))

func readOK(context.Context, in) (out, error) { return out{}, nil }

func preview(context.Context, in) (dryrun.Preview[out], error) {
	return dryrun.Preview[out]{}, errBusy // want `undeclared\] notes.dry: failureModes: busy`
}

// A comment with a reason allows a finding.
var allowed = build(contract.New("notes.allowed", readAllowed))

func readAllowed(context.Context, in) (out, error) {
	//failurecheck:allow a broken disk is an internal error
	return out{}, errors.New("disk")
}

// A comment at a return allows the errors that it returns.
var passed = build(contract.New("notes.passed", readPassed))

func readPassed(context.Context, in) (out, error) { return out{}, pass(os.Remove("x")) }

func pass(err error) error {
	return err //failurecheck:allow a broken disk is an internal error
}

// Errors in variables that closures share.
var deferred = build(contract.New("notes.deferred", readDeferred).Failures(errMissing))

func readDeferred(context.Context, in) (o out, err error) {
	defer func() {
		if recover() != nil {
			err = errBusy // want `undeclared\] notes.deferred: failureModes: busy`
		}
	}()
	return out{}, errMissing
}

// errors.As and errors.AsType find failures, and the others are mapped.
var asserted = build(contract.New("notes.asserted", readAsserted).Failures(errMissing, errBusy))

func readAsserted(context.Context, in) (out, error) {
	err := mixed()
	if failure, ok := errors.AsType[*contract.Error](err); ok {
		return out{}, failure.Hint("Try again.")
	}
	var failure *contract.Error
	if errors.As(err, &failure) {
		return out{}, failure
	}
	if err != nil {
		return out{}, errBusy.Wrap(err)
	}
	return out{}, nil
}

func mixed() error {
	if os.Getpid() == 1 {
		return errors.New("mixed")
	}
	return errMissing
}

// A method value as handler, and a function that gets a function.
type service struct{}

var method = build(contract.New("notes.method", service{}.read).Failures(errMissing))

func (service) read(context.Context, in) (out, error) {
	return out{}, twice(func() error { return errBusy }) // want `undeclared\] notes.method: failureModes: busy`
}

func twice(f func() error) error {
	if err := f(); err != nil {
		return f()
	}
	return nil
}
