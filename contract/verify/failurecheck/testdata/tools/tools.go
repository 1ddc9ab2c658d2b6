// want package:"depends"

// Package tools declares tools, some of which return other errors than they
// declare.
package tools

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/verify/failurecheck/testdata/mail"
	"github.com/toolcontract/toolcontract/dryrun"
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

// All failures are declared.
var declared = contract.New("notes.declared", readDeclared).Version("1.0.0").Failures(errMissing, errBusy).MustBuild()

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

// One failure is not declared, one is never returned.
var undeclared = contract.New("notes.undeclared", readUndeclared).
	Failures(errMissing).
	MustBuild()

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
var plain = contract.New("notes.plain", readPlain).Failures(errMissing).MustBuild()

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
var other = contract.New("notes.other", readPlain2).Failures(errMissing).OtherErrors(contract.ClassFatal).MustBuild()

func readPlain2(_ context.Context, i in) (out, error) {
	if i.ID == "" {
		return out{}, errMissing
	}
	return out{}, errors.New("whatever")
}

// A condition excludes the failure.
var pruned = contract.New("notes.pruned", readPruned).Failures(errMissing).MustBuild()

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
var mailed = contract.New("notes.mailed", send).Failures(mail.ErrFull, mail.ErrGone).MustBuild() // want `neverReturned\] notes.mailed: failureModes: mailbox_gone`

func send(_ context.Context, i in) (out, error) {
	if err := mail.Check(i.ID); err != nil {
		return out{}, err
	}
	return out{}, mail.Mapped(os.Remove(i.ID))
}

// mapped keeps a failure of another package and wraps all others.
var mapped = contract.New("notes.mapped", sendMapped).Failures(mail.ErrFull).MustBuild()

func sendMapped(context.Context, in) (out, error) {
	return out{}, mail.Mapped(mail.ErrGone) // want `undeclared\] notes.mapped: failureModes: mailbox_gone`
}

// An interface can return anything, which is no finding.
func stored(s mail.Store) (*contract.Tool, error) {
	return contract.New("notes.stored", func(context.Context, in) (out, error) { return out{}, s.Save() }).Failures(errMissing).Build()
}

// A builder that leaves the function can get other verbs.
func open() *contract.Builder[in, out] {
	return contract.New("notes.open", readUndeclared)
}

// The failures of a base, under verbs without failures.
func base() contract.Base {
	return contract.Base{Version: "1.0.0", Failures: []*contract.Failure{errBusy}}
}

var based = contract.New("notes.based", readUndeclared).From(base()).MustBuild()

// The failures of a copy, and of a package variable.
func copied() contract.Base {
	b := base()
	b.Version = "2.0.0"
	return b
}

var basedOnACopy = contract.New("notes.copied", readUndeclared).From(copied()).MustBuild()

var shared = contract.Base{Version: "1.0.0", Failures: []*contract.Failure{errBusy}}

var basedOnAVariable = contract.New("notes.shared", readUndeclared).From(shared).MustBuild()

// The failures of tags.
type tagged struct {
	_ contract.Tags       `name:"notes.tagged"`
	_ contract.FailureTag `code:"busy" class:"retryable" description:"The service is busy."`
}

var fromTags = contract.New("", readTagged).MustBuild()

func readTagged(context.Context, tagged) (out, error) {
	return out{}, contract.Errorf("busy", "busy for %d seconds", 5)
}

// The function of a dry run returns failures too.
var dry = contract.New("notes.dry", readOK).DryRun(dryrun.By(preview)).MustBuild()

func readOK(context.Context, in) (out, error) { return out{}, nil }

func preview(context.Context, in) (dryrun.Preview[out], error) {
	return dryrun.Preview[out]{}, errBusy // want `undeclared\] notes.dry: failureModes: busy`
}

// A comment with a reason allows a finding.
var allowed = contract.New("notes.allowed", readAllowed).MustBuild()

func readAllowed(context.Context, in) (out, error) {
	//failurecheck:allow a broken disk is an internal error
	return out{}, errors.New("disk")
}

// A comment at a return allows the errors that it returns.
var passed = contract.New("notes.passed", readPassed).MustBuild()

func readPassed(context.Context, in) (out, error) { return out{}, pass(os.Remove("x")) }

func pass(err error) error {
	return err //failurecheck:allow a broken disk is an internal error
}

// Errors in variables that closures share.
var deferred = contract.New("notes.deferred", readDeferred).Failures(errMissing).MustBuild()

func readDeferred(context.Context, in) (o out, err error) {
	defer func() {
		if recover() != nil {
			err = errBusy // want `undeclared\] notes.deferred: failureModes: busy`
		}
	}()
	return out{}, errMissing
}

// errors.As and errors.AsType find failures, and the others are mapped.
var asserted = contract.New("notes.asserted", readAsserted).Failures(errMissing, errBusy).MustBuild()

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

var method = contract.New("notes.method", service{}.read).Failures(errMissing).MustBuild()

func (service) read(context.Context, in) (out, error) {
	return out{}, twice(func() error { return errBusy }) // want `undeclared\] notes.method: failureModes: busy`
}

func twice(f func() error) error {
	if err := f(); err != nil {
		return f()
	}
	return nil
}
