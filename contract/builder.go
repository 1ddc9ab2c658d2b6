package contract

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
)

// A Handler is the function behind a tool. In is a struct, or a map with
// string keys; its JSON Schema is derived from the type. Out is a struct or a
// map (structured content), string (text), or struct{} (nothing to say).
type Handler[In, Out any] func(context.Context, In) (Out, error)

// A Builder collects one tool's contract beside its handler; [Clauses] holds
// most of its verbs. Make one with [New], [FromTags] or [Bind]. A Builder is not safe
// for concurrent use; the [Tool] that it builds is.
type Builder[In, Out any] struct {
	Clauses[*Builder[In, Out]]

	handler      Handler[In, Out]
	tagged       bool
	tags         facts
	confirmWhen  func(In) bool
	preview      dryrun.Clause[In]
	resolve      said[func(In) Resolution]
	replayUntil  said[func(In, Out) time.Time]
	inputSchema  json.RawMessage
	outputSchema json.RawMessage
	binding      *binding // nil, but for Bind
}

// New starts the contract of a tool called name, "domain.verb".
//
//	var Add = contract.New("calc.add", add).
//		Description("Adds two numbers.").Version("1.0.0").
//		Effect(risk.ReadOnly).Trust(trust.Trusted).
//		MustBuild()
func New[In, Out any](name string, handler Handler[In, Out]) *Builder[In, Out] {
	b := newBuilder(handler)
	b.facts.name.say(name)
	return b
}

// FromTags starts a contract from the marker fields of In: see [Facts],
// [SideEffectTag] and [FailureTag]. Only direct fields count. The builder's
// verbs win over the tags.
func FromTags[In, Out any](handler Handler[In, Out]) *Builder[In, Out] {
	b := newBuilder(handler)
	b.tagged, b.tags = true, factsFromTags[In]()
	return b
}

func newBuilder[In, Out any](handler Handler[In, Out]) *Builder[In, Out] {
	b := &Builder[In, Out]{handler: handler}
	b.self = b
	return b
}

// ConfirmWhen has a person asked before those calls for which ask returns
// true. A panic of ask means true.
func (b *Builder[In, Out]) ConfirmWhen(ask func(In) bool) *Builder[In, Out] {
	b.facts.confirmation.say(confirmationClause{mode: ConfirmationWhen})
	b.confirmWhen = ask
	return b
}

// DryRun lets callers try the tool first, by a second function that changes
// nothing: see [dryrun.By]. A tag that says required holds, with or without
// [dryrun.Clause.Required].
//
// The input schema gains the member dryRun (boolean) and, where a dry run is
// required, dryRunToken (string). A guard takes both off: neither In nor
// anything else sees them, and an input with a member of either name is an error
// of Build. The output schema becomes anyOf the schema of Out, a struct or a map
// without a member dryRun, and that of the preview: the members of the clause's
// data, a plain struct, beside those of [dryrun.Preview]. A restricted tool's
// data leaves by its exposed fields alone; the texts of a preview leave as the
// author wrote them.
func (b *Builder[In, Out]) DryRun(preview dryrun.Clause[In]) *Builder[In, Out] {
	b.facts.dryRun.say(preview.Mode())
	b.preview = preview
	return b
}

// Resolve states, for the arguments of one call, how mild that call is: see
// [Resolution]. It must be pure, for it may be called several times for one
// call, by many goroutines at once. A panic means "as declared".
//
// Callers that hold fewer than the declared permissions reach a tool that
// resolves, and find it in the list, where they hold those of DiscoverWith.
func (b *Builder[In, Out]) Resolve(resolve func(In) Resolution) *Builder[In, Out] {
	b.resolve.say(resolve)
	return b
}

// ReplayUntil bounds how long the stored result of a managed call is replayed,
// as a link in it expires.
func (b *Builder[In, Out]) ReplayUntil(until func(In, Out) time.Time) *Builder[In, Out] {
	b.replayUntil.say(until)
	return b
}

// InputSchema replaces the schema derived from In by one written as JSON
// Schema 2020-12. Arguments are held to it and then bound to In.
func (b *Builder[In, Out]) InputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.inputSchema = append(json.RawMessage{}, schema...)
	return b
}

// OutputSchema replaces the schema derived from Out. A restricted tool's cannot
// be replaced: it follows from the exposed fields.
func (b *Builder[In, Out]) OutputSchema(schema json.RawMessage) *Builder[In, Out] {
	b.outputSchema = append(json.RawMessage{}, schema...)
	return b
}

// Build checks the contract and returns the tool. The error joins a
// [DeclarationError] for every mistake; [DeclarationErrors] lists them.
func (b *Builder[In, Out]) Build() (*Tool, error) {
	tool, mistakes := b.build()
	if len(mistakes) > 0 {
		errs := make([]error, len(mistakes))
		for i, m := range mistakes {
			errs[i] = m
		}
		return nil, errors.Join(errs...)
	}
	return tool, nil
}

// MustBuild is Build for package variables: it panics on a mistake.
func (b *Builder[In, Out]) MustBuild() *Tool {
	tool, err := b.Build()
	if err != nil {
		panic(err)
	}
	return tool
}
