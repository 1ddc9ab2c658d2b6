package contract

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// functions are the tool author's functions. All but the handler are optional.
type functions[In, Out any] struct {
	handler     Handler[In, Out]
	confirmWhen func(In) bool
	authorize   func(context.Context, Principal, In) error
	question    func(In) string
	confirmWord func(In) string
	precheck    func(context.Context, In) error
	preview     dryrun.Clause[In]
	resolve     func(In) Resolution
	replayUntil func(In, Out) time.Time
	replayWhile func(context.Context, In, Out) (bool, error)
	reconcile   func(context.Context, In, time.Time) (Reconciled[Out], error)
}

// set lists the optional functions that are set, except confirmWhen, which
// counts only if the confirmation is conditional.
func (f *functions[In, Out]) set() bound.Functions {
	return bound.Functions{
		Authorize: f.authorize != nil, Question: f.question != nil, ConfirmWord: f.confirmWord != nil,
		Precheck: f.precheck != nil, Preview: f.preview.Mode() != 0,
		ReplayUntil: f.replayUntil != nil, ReplayWhile: f.replayWhile != nil, Resolve: f.resolve != nil,
		Reconcile: f.reconcile != nil,
	}
}

// An impl is the part of a built tool that only the guard gets: the
// implementation of [bound.Impl], which documents each method.
type impl[In, Out any] struct {
	core
	functions[In, Out]
}

// A core is the part of an impl that does not depend on the types of its tool.
// The compiler compiles the methods of an impl again for each tool.
type core struct {
	facts    bound.Facts
	codec    strictjson.Codec // of In
	reader   argumentReader
	results  resultWriter
	previews previewing
	inFields *fieldtag.Fields
}

// Facts returns the values that Build has set.
func (c *core) Facts() *bound.Facts { return &c.facts }

// Asking returns a contract with confirmation "when", and the failures that
// come with it.
func (*core) Asking(doc any) any {
	d := doc.(Document).Clone() //nolint:forcetypeassert // see [bound.Impl]
	if d.Resolves != nil && !confirmations.IsValid(d.Resolves.Confirmation) {
		d.Resolves.Confirmation = d.Confirmation
	}
	d.Confirmation, d.ConfirmationReason, d.Autonomous = ConfirmationWhen, "", false
	listed := map[string]bool{}
	for _, m := range d.FailureModes {
		listed[m.Code] = true
	}
	d.FailureModes = append(d.FailureModes, d.guardFailures(listed)...)
	return d
}

// Decode reads arguments and binds the input from their canonical form.
func (i *impl[In, Out]) Decode(raw []byte) (*bound.Arguments, []schema.Violation) {
	args := &bound.Arguments{}
	canonical, violations := i.reader.read(raw, args)
	if len(violations) > 0 {
		return nil, violations
	}
	in := new(In)
	if err := read(i.codec, canonical, in); err != nil {
		broken := []schema.Violation{parseViolation(err)}
		if p, ok := errors.AsType[*contain.PanicError](err); ok {
			return &bound.Arguments{Panic: p}, broken
		}
		return nil, broken
	}
	args.In, args.Canonical = in, canonical
	args.Compared = i.reader.compared(canonical)
	return args, nil
}

// DecodePart reads some of the members of arguments.
func (c *core) DecodePart(raw []byte) (*bound.Arguments, []schema.Violation) {
	return c.reader.readPart(raw)
}

// Run calls the handler. A typed nil failure is no error.
func (i *impl[In, Out]) Run(ctx context.Context, in any) (any, error) {
	var asks *dialog
	if i.facts.Asks {
		ctx, asks = withDialog(ctx, i.facts.Rounds)
	}
	out, err := i.handler(ctx, *in.(*In)) //nolint:forcetypeassert // Decode made it
	if isSuccess(err) {
		err = nil
	}
	return out, asks.ended(err)
}

// Parts takes a [Reply] apart. Any other result has an output only.
func (c *core) Parts(result any) (out, content any, meta map[string]any) {
	if r, ok := result.(interface {
		parts() (out, content any, meta map[string]any)
	}); ok {
		return r.parts()
	}
	return result, nil, nil
}

// Encode writes the handler's output.
func (c *core) Encode(out any) (raw []byte, tree any, err error) {
	return c.results.write(out)
}

// Hidden returns the values of sensitive and secret fields.
func (c *core) Hidden(tree any) []string {
	return c.inFields.Hidden(tree, fieldtag.Sensitive|fieldtag.Secret)
}

// Secrets returns the values of secret fields.
func (c *core) Secrets(tree any) []string { return c.inFields.Hidden(tree, fieldtag.Secret) }

// Shown returns the arguments as a person may see them, by their tags.
func (c *core) Shown(tree any) []bound.Shown { return c.inFields.Shown(tree) }

// Authorize calls the function of [Builder.Authorize]. Input that cannot be
// read is denied.
func (i *impl[In, Out]) Authorize(ctx context.Context, principal any, canonical []byte) error {
	in, err := copyOf[In](canonical)
	if err != nil {
		return err
	}
	return i.authorize(ctx, principal.(Principal), in) //nolint:forcetypeassert // the guard passes it
}

// Precheck calls the function of [Builder.Precheck]. A typed nil failure is no
// error.
func (i *impl[In, Out]) Precheck(ctx context.Context, canonical []byte) error {
	in, err := copyOf[In](canonical)
	if err == nil {
		err = i.precheck(ctx, in)
	}
	if isSuccess(err) {
		return nil
	}
	return err
}

// Resolve calls the function of [Builder.Resolve].
func (i *impl[In, Out]) Resolve(canonical []byte) (any, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return nil, err
	}
	return i.resolve(in), nil
}

// MustAsk calls the function of [Builder.ConfirmWhen]. A person is asked if the
// input cannot be read.
func (i *impl[In, Out]) MustAsk(canonical []byte) bool {
	in, err := copyOf[In](canonical)
	return err != nil || i.confirmWhen(in)
}

// Question calls the function of [Builder.Question].
func (i *impl[In, Out]) Question(canonical []byte) (string, error) {
	return textOf(i.question, canonical)
}

// ConfirmWord calls the function of [Builder.ConfirmTyping].
func (i *impl[In, Out]) ConfirmWord(canonical []byte) (string, error) {
	return textOf(i.confirmWord, canonical)
}

// textOf calls a tool author's function that describes an input.
func textOf[In any](write func(In) string, canonical []byte) (string, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return "", err
	}
	return write(in), nil
}

// ReplayUntil calls the function of [Builder.ReplayUntil].
func (i *impl[In, Out]) ReplayUntil(canonical []byte, out any) (time.Time, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return time.Time{}, err
	}
	return i.replayUntil(in, out.(Out)), nil //nolint:forcetypeassert // Run made it
}

// ReplayWhile calls the function of [Builder.ReplayWhile].
func (i *impl[In, Out]) ReplayWhile(ctx context.Context, canonical, stored []byte) (bool, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return false, err
	}
	out, err := outOf[Out](stored)
	if err != nil {
		return false, err
	}
	return i.replayWhile(ctx, in, out)
}

// Reconcile calls the function of [Builder.Reconcile].
func (i *impl[In, Out]) Reconcile(ctx context.Context, canonical []byte, since time.Time) (bound.Reconciled, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return bound.Reconciled{}, err
	}
	r, err := i.reconcile(ctx, in, since)
	return bound.Reconciled{Verdict: r.verdict, Out: r.out, After: r.after}, err
}

// outOf reads an output from its JSON. A [Reply] gets only its Out.
func outOf[Out any](stored []byte) (out Out, err error) {
	var into any = &out
	if reply, ok := into.(interface{ outPointer() any }); ok {
		into = reply.outPointer()
	}
	return out, json.Unmarshal(stored, into)
}

// Preview calls the function of [Builder.DryRun].
func (i *impl[In, Out]) Preview(ctx context.Context, canonical []byte) (bound.Preview, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return bound.Preview{}, err
	}
	p, err := i.preview.Preview(ctx, in)
	return bound.Preview(p), err
}

// EncodePreview writes a preview around its data.
func (c *core) EncodePreview(p bound.Preview) (raw []byte, tree any, err error) {
	return c.previews.write(p)
}
