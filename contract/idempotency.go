package contract

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

const (
	declaredIdempotency declaration[Idempotency] = "idempotency"
	declaredReplayUntil declaration[bool]        = "ReplayUntil" // whether it was given a function
	declaredReplayWhile declaration[bool]        = "ReplayWhile" // the same
)

const (
	ruleIdempotencyMode        = "idempotency.mode"
	ruleIdempotencyUnmanaged   = "idempotency.unmanaged"
	ruleIdempotencyKey         = "idempotency.key"
	ruleIdempotencyRetention   = "idempotency.retention"
	ruleIdempotencyReplayUntil = "idempotency.replayUntil"
	ruleIdempotencyReplayWhile = "idempotency.replayWhile"
	ruleIdempotencyAtomic      = "idempotency.atomic"
)

// Default retentions of a managed call's outcome.
const (
	defaultRetention          = 24 * time.Hour
	defaultArgumentsRetention = 15 * time.Minute
)

func idempotencyClause() clause {
	return clause{
		members: []string{"idempotency"},
		keys: tagKeys{
			"idempotency": partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.enum(&i.Mode) }),
			"keyFields":   partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { i.KeyFields = r.list() }),
			"keyRequired": partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.boolean(&i.KeyRequired) }),
			"clientKey":   partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.boolean(&i.ClientKey) }),
			"retention":   partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.seconds(&i.Retention) }),
			"onUnknown":   partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.enum(&i.OnUnknown) }),
			"atomic":      partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) { r.boolean(&i.Atomic) }),
			"argumentsRetention": partOf(declaredIdempotency, func(i *Idempotency, r *tagReader) {
				r.seconds(&i.ArgumentsRetention)
			}),
		},
		base: func(b *Base, l *layer) {
			if !b.Idempotency.isZero() {
				setIdempotency(l, b.Idempotency)
			}
		},
		check:     checkIdempotency,
		effective: func(d *Document) { d.Idempotency = d.effectiveIdempotency() },
		rules: []BuildRule{
			{ID: ruleIdempotencyMode, Summary: "Idempotency is none, native, managed or keyed."},
			{ID: ruleIdempotencyUnmanaged, Summary: "Keys, retention and onUnknown belong to managed or keyed idempotency."},
			{ID: ruleIdempotencyKey, Summary: "A key field is a direct field of the input; a key of the client excludes key fields."},
			{ID: ruleIdempotencyRetention, Summary: "A retention is a positive number of whole seconds, and a retention for all " +
				"arguments is not the longer one."},
			{ID: ruleIdempotencyReplayUntil, Summary: "ReplayUntil belongs to managed or keyed idempotency and has a function."},
			{ID: ruleIdempotencyReplayWhile, Summary: "ReplayWhile belongs to managed or keyed idempotency and has a function."},
			{ID: ruleIdempotencyAtomic, Summary: "Atomic belongs to managed idempotency, without ReplayUntil, a handler that asks " +
				"for an input, or a failure after which an effect is possible."},
		},
	}
}

// Idempotency declares what a repeated call does; see [Idempotency] for when a
// call runs again. Default: a repeated call has its effect again.
func (b *Builder[In, Out]) Idempotency(i Idempotency) *Builder[In, Out] {
	setIdempotency(&b.verbs, i)
	return b
}

// isZero reports whether i declares nothing.
func (i Idempotency) isZero() bool {
	return i.Mode == 0 && i.KeyFields == nil && !i.ClientKey && !i.KeyRequired && i.Retention == 0 && i.ArgumentsRetention == 0 &&
		i.OnUnknown == 0 && !i.Atomic
}

func setIdempotency(l *layer, i Idempotency) {
	i.KeyFields = slices.Clone(i.KeyFields)
	declaredIdempotency.set(l, i)
}

// ReplayUntil limits how long the stored result of a managed or keyed call is
// replayed, for example because a link in it expires. After that the same call
// runs again, as a new operation. The record is kept for the whole retention:
// other arguments conflict with it.
func (b *Builder[In, Out]) ReplayUntil(until func(In, Out) time.Time) *Builder[In, Out] {
	declaredReplayUntil.set(&b.verbs, until != nil)
	b.replayUntil = until
	return b
}

// ReplayWhile sets a function that decides before a replay whether the stored
// success of a managed or keyed call is still valid. If it is not, for example
// because another tool has undone it, the call runs, and its result replaces
// the stored one. The function is asked only about calls with the same
// arguments: for other arguments under the same key, call guard.Forget in the
// tool that undoes.
//
// The function gets the arguments and the handler's result, read from their
// JSON, so fields without JSON are zero. It may run concurrently, and must not
// change anything. If it returns an error, panics or takes more than ten
// seconds, the call is refused as unavailable. It is not asked about a result
// that was not stored; see [CodeAlreadyDone].
func (b *Builder[In, Out]) ReplayWhile(holds func(context.Context, In, Out) (bool, error)) *Builder[In, Out] {
	declaredReplayWhile.set(&b.verbs, holds != nil)
	b.replayWhile = holds
	return b
}

func checkIdempotency(c *checker) {
	i, declared := declaredIdempotency.in(&c.layer)
	if hasFunction, isDeclared := declaredReplayWhile.in(&c.layer); isDeclared && (!hasFunction || !i.Mode.Deduplicates()) {
		c.bad(ruleIdempotencyReplayWhile, "idempotency", "ReplayWhile has no function, or the tool is neither managed nor keyed",
			"give it a function and declare managed or keyed idempotency")
	}
	if hasFunction, isDeclared := declaredReplayUntil.in(&c.layer); isDeclared && (!hasFunction || !i.Mode.Deduplicates()) {
		c.bad(ruleIdempotencyReplayUntil, "idempotency", "ReplayUntil has no function, or the tool is neither managed nor keyed",
			"give it a function and declare managed or keyed idempotency")
	}
	if !declared {
		return
	}
	if i.Atomic {
		c.atomic(&i)
	}
	switch i.Mode {
	case idempotency.Managed, idempotency.Keyed:
		switch {
		case len(i.KeyFields) == 0:
		case i.Mode == idempotency.Keyed:
			c.bad(ruleIdempotencyKey, "idempotency", "mode keyed has key fields, but its keys come from the client",
				"remove the key fields, or declare managed")
		case i.ClientKey || i.KeyRequired:
			c.bad(ruleIdempotencyKey, "idempotency", "a client key and key fields are declared",
				"choose one: declared key fields always win")
		}
		c.retentions(&i)
		i = i.completed()
	case idempotency.Native, idempotency.None:
		if i.ClientKey || i.KeyRequired || len(i.KeyFields) > 0 || i.Retention != 0 || i.ArgumentsRetention != 0 ||
			i.OnUnknown != 0 {
			c.bad(ruleIdempotencyUnmanaged, "idempotency", fmt.Sprintf("mode %s has a key, a retention or onUnknown", i.Mode),
				"declare managed or keyed, or remove them")
		}
		if i.Mode == idempotency.None {
			return
		}
	default:
		c.bad(ruleIdempotencyMode, "idempotency", "the mode is unknown", "use idempotency.None, Native, Managed or Keyed")
		return
	}
	c.doc.Idempotency = &i
}

// atomic checks the other clauses of an atomic tool.
func (c *checker) atomic(i *Idempotency) {
	bad := func(message, remedy string) { c.bad(ruleIdempotencyAtomic, "idempotency", message, remedy) }
	if i.Mode != idempotency.Managed {
		bad("a tool that is not managed is atomic, so calls without a record would be committed", "declare managed, or remove atomic")
	}
	if until, _ := declaredReplayUntil.in(&c.layer); until {
		bad("an atomic tool has ReplayUntil, which removes the record when it is committed", "use ReplayWhile, or remove one")
	}
	for _, f := range declaredFailures.of(&c.layer) {
		if f != nil && f.effectPossible {
			bad("an atomic tool has the failure "+f.code+" with a possible effect, but a failure undoes everything",
				"remove effectPossible, or remove atomic")
		}
	}
}

// retentions checks how long outcomes of a managed or keyed tool are kept.
func (c *checker) retentions(i *Idempotency) {
	if i.Retention < 0 || i.Retention%time.Second != 0 || i.ArgumentsRetention < 0 || i.ArgumentsRetention%time.Second != 0 {
		c.bad(ruleIdempotencyRetention, "idempotency", "the retention is not a positive number of whole seconds",
			c.advice(string(declaredIdempotency), "use a duration such as 24*time.Hour", `write a duration such as retention:"24h"`))
		return
	}
	if i.ArgumentsRetention > cmp.Or(i.Retention, defaultRetention) {
		c.bad(ruleIdempotencyRetention, "idempotency", "the retention for a key of all arguments is longer than the retention",
			"shorten it, or declare a longer retention")
	}
	if i.ArgumentsRetention != 0 && !i.guesses() {
		c.noArgumentsKey()
	}
}

// noArgumentsKey reports a retention for a key that no call has.
func (c *checker) noArgumentsKey() {
	c.bad(ruleIdempotencyRetention, "idempotency", "a retention for a key of all arguments is declared, and no call has "+
		"such a key", "remove it")
}

// guesses reports whether all arguments are the key of a call without a key of
// its client.
func (i Idempotency) guesses() bool {
	return i.Mode == idempotency.Managed && len(i.KeyFields) == 0 && !i.KeyRequired
}

// completed returns a managed or keyed clause with its defaults.
func (i Idempotency) completed() Idempotency {
	i.ClientKey = i.ClientKey || i.KeyRequired || i.Mode == idempotency.Keyed
	if i.guesses() {
		i.ArgumentsRetention = cmp.Or(i.ArgumentsRetention, i.Retention, defaultArgumentsRetention)
	}
	i.Retention = cmp.Or(i.Retention, defaultRetention)
	if i.OnUnknown == 0 {
		i.OnUnknown = idempotency.Refuse
	}
	return i
}

// isIdempotent reports whether no repeated call changes anything more while its
// outcome is stored. A keyed call without a key has its effect again. Build
// leaves out the mode none; a document of another server may have it.
func (d Document) isIdempotent() bool {
	i := d.Idempotency
	return i != nil && (i.Mode == idempotency.Native || i.Mode == idempotency.Managed ||
		i.Mode == idempotency.Keyed && i.KeyRequired)
}

// hintsIdempotent reports whether clients that know only the hint may repeat a
// call. A key of all arguments is a guess: soon after the call, an equal one is
// a second call. An atomic tool is an exception, because its record and its
// effect are one.
func (d Document) hintsIdempotent() bool {
	return d.isIdempotent() && (d.Idempotency.Atomic || !d.Idempotency.guesses())
}

// idempotentFor returns how long a repetition of any call has no second effect.
// Zero: there is no such time, or it never ends.
func (d Document) idempotentFor() time.Duration {
	i := d.effectiveIdempotency()
	switch {
	case !i.Mode.Deduplicates() || !d.isIdempotent():
		return 0
	case i.guesses():
		return i.ArgumentsRetention
	}
	return i.Retention
}

// isDeduplicated reports whether the guard deduplicates calls.
func (d Document) isDeduplicated() bool {
	return d.Idempotency != nil && d.Idempotency.Mode.Deduplicates()
}

// isAtomic reports whether the guard commits what the handler writes.
func (d Document) isAtomic() bool { return d.Idempotency != nil && d.Idempotency.Atomic }

// effectiveIdempotency returns the clause with the defaults that Build fills
// in. A missing clause counts as one of mode none.
func (d Document) effectiveIdempotency() *Idempotency {
	if d.Idempotency == nil || !d.Idempotency.Mode.IsValid() || d.Idempotency.Mode == idempotency.None {
		return &Idempotency{Mode: idempotency.None}
	}
	i := *d.Idempotency
	if i.Mode.Deduplicates() {
		if !i.OnUnknown.IsValid() {
			i.OnUnknown = 0
		}
		i = i.completed()
	}
	return &i
}

// keyFields checks that the fields identifying a managed call are in its input,
// and takes over a field tagged idempotency-key.
func (c *checker) keyFields(in reflect.Type, fields *fieldtag.Fields) {
	var tagged []string
	if in.Kind() == reflect.Struct && fields.HasKey() {
		for _, f := range strictjson.FieldsOf(in) {
			if words, _ := fields.Words(f.Name); words.Has(fieldtag.IdempotencyKey) {
				tagged = append(tagged, f.Name)
			}
		}
	}
	if len(tagged) > 1 {
		c.bad(ruleFieldTag, fieldtag.TypeName(in), "several fields are tagged idempotency-key", c.advice(string(declaredIdempotency),
			"tag one, or declare KeyFields", "tag one, or write keyFields"))
	}
	i := c.doc.Idempotency
	if !c.doc.isDeduplicated() {
		declared, isDeclared := declaredIdempotency.in(&c.layer)
		if len(tagged) > 0 && (i != nil || !isDeclared || declared.Mode == idempotency.None) {
			c.bad(ruleIdempotencyUnmanaged, "idempotency", "the field "+tagged[0]+" is tagged idempotency-key and the tool is not managed",
				"declare managed idempotency, or remove the tag")
		}
		return
	}
	if i.ClientKey && len(tagged) > 0 {
		c.bad(ruleIdempotencyKey, "idempotency", "the key comes from the client and the field "+tagged[0]+" is tagged idempotency-key",
			"remove the tag, or declare managed without a client key")
	}
	for _, name := range i.KeyFields {
		if _, ok := fields.Words(name); !ok && fields.IsStruct() {
			c.bad(ruleIdempotencyKey, "idempotency", "the key field "+name+" is not a field of the input"+enum.DidYouMean(name,
				fields.Names()), "name the JSON member of a direct field")
		}
	}
	if len(i.KeyFields) == 0 && len(tagged) == 1 {
		i.KeyFields = tagged
		i.ArgumentsRetention = 0
		if declaredIdempotency.of(&c.layer).ArgumentsRetention != 0 {
			c.noArgumentsKey()
		}
	}
}
