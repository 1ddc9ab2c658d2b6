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

// functions are the functions of a tool author. All but the handler are
// optional.
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
}

// set names the optional functions that are set, except confirmWhen, which
// counts only if the contract asks under a condition.
func (f *functions[In, Out]) set() bound.Functions {
	return bound.Functions{
		Authorize: f.authorize != nil, Question: f.question != nil, ConfirmWord: f.confirmWord != nil,
		Precheck: f.precheck != nil, Preview: f.preview.Mode() != 0,
		ReplayUntil: f.replayUntil != nil, ReplayWhile: f.replayWhile != nil, Resolve: f.resolve != nil,
	}
}

// A half is the private half of a built tool: what only the guard gets. It is
// the only implementation of [bound.Tool], which documents each method.
type half[In, Out any] struct {
	core
	functions[In, Out]
}

// A core is the part of a half that does not depend on the types of its tool.
// The compiler compiles the methods of a half again for each tool.
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

// Decode reads arguments, and binds the input from their canonical form.
func (h *half[In, Out]) Decode(raw []byte) (*bound.Arguments, []schema.Violation) {
	args := &bound.Arguments{}
	canonical, violations := h.reader.read(raw, args)
	if len(violations) > 0 {
		return nil, violations
	}
	in := new(In)
	if err := read(h.codec, canonical, in); err != nil {
		broken := []schema.Violation{parseViolation(err)}
		if p, ok := errors.AsType[*contain.PanicError](err); ok {
			return &bound.Arguments{Panic: p}, broken
		}
		return nil, broken
	}
	args.In, args.Canonical = in, canonical
	args.Compared = h.reader.compared(canonical)
	return args, nil
}

// Compared returns what [bound.Arguments] has of arguments, or of some of them.
func (c *core) Compared(canonical []byte) []byte { return c.reader.compared(canonical) }

// Run calls the handler. A typed nil of a failure is no error.
func (h *half[In, Out]) Run(ctx context.Context, in any) (any, error) {
	out, err := h.handler(ctx, *in.(*In)) //nolint:forcetypeassert // Decode made it
	if isSuccess(err) {
		err = nil
	}
	return out, err
}

// Parts takes a [Reply] apart. Any other result has no other parts.
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

// Hidden returns the values of the fields that their tags hide.
func (c *core) Hidden(tree any) []string { return c.inFields.Hidden(tree) }

// Shown returns the arguments as their tags let a person see them.
func (c *core) Shown(tree any) []bound.Shown { return c.inFields.Shown(tree) }

// Authorize calls the function of [Builder.Authorize]. Input that cannot be
// read is denied.
func (h *half[In, Out]) Authorize(ctx context.Context, principal any, canonical []byte) error {
	in, err := copyOf[In](canonical)
	if err != nil {
		return err
	}
	return h.authorize(ctx, principal.(Principal), in) //nolint:forcetypeassert // the guard passes it
}

// Precheck calls the function of [Builder.Precheck]. A typed nil of a failure
// is no error.
func (h *half[In, Out]) Precheck(ctx context.Context, canonical []byte) error {
	in, err := copyOf[In](canonical)
	if err == nil {
		err = h.precheck(ctx, in)
	}
	if isSuccess(err) {
		return nil
	}
	return err
}

// Resolve calls the function of [Builder.Resolve].
func (h *half[In, Out]) Resolve(canonical []byte) (any, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return nil, err
	}
	return h.resolve(in), nil
}

// MustAsk calls the function of [Builder.ConfirmWhen]. A person is asked if the
// input cannot be read.
func (h *half[In, Out]) MustAsk(canonical []byte) bool {
	in, err := copyOf[In](canonical)
	return err != nil || h.confirmWhen(in)
}

// Question calls the function of [Builder.Question].
func (h *half[In, Out]) Question(canonical []byte) (string, error) {
	return textOf(h.question, canonical)
}

// ConfirmWord calls the function of [Builder.ConfirmTyping].
func (h *half[In, Out]) ConfirmWord(canonical []byte) (string, error) {
	return textOf(h.confirmWord, canonical)
}

// textOf calls a function of the tool author that writes a text about an input.
func textOf[In any](write func(In) string, canonical []byte) (string, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return "", err
	}
	return write(in), nil
}

// ReplayUntil calls the function of [Builder.ReplayUntil].
func (h *half[In, Out]) ReplayUntil(canonical []byte, out any) (time.Time, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return time.Time{}, err
	}
	return h.replayUntil(in, out.(Out)), nil //nolint:forcetypeassert // Run made it
}

// ReplayWhile calls the function of [Builder.ReplayWhile].
func (h *half[In, Out]) ReplayWhile(ctx context.Context, canonical, stored []byte) (bool, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return false, err
	}
	out, err := outOf[Out](stored)
	if err != nil {
		return false, err
	}
	return h.replayWhile(ctx, in, out)
}

// outOf reads an output from its JSON. Of a [Reply] it has only the Out.
func outOf[Out any](stored []byte) (out Out, err error) {
	var into any = &out
	if reply, ok := into.(interface{ outPointer() any }); ok {
		into = reply.outPointer()
	}
	return out, json.Unmarshal(stored, into)
}

// Preview calls the function of [Builder.DryRun].
func (h *half[In, Out]) Preview(ctx context.Context, canonical []byte) (bound.Preview, error) {
	in, err := copyOf[In](canonical)
	if err != nil {
		return bound.Preview{}, err
	}
	p, err := h.preview.Preview(ctx, in)
	return bound.Preview(p), err
}

// EncodePreview writes a preview around its data.
func (c *core) EncodePreview(p bound.Preview) (raw []byte, tree any, err error) {
	return c.previews.write(p)
}
