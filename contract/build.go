package contract

import (
	"encoding/json"
	"reflect"
	"sync"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

const (
	ruleRestrictedExpose = "restricted.expose"
	ruleFieldTag         = "field.tag"
)

// An origin is what Build learns from the types and functions of a tool author.
type origin struct {
	in, out reflect.Type
	// The functions, nil ones with their types.
	handler, precheck, reconcile any

	previewCode uintptr
	previewData reflect.Type // nil without a dry run
	has         bound.Functions
}

// build merges the layers and checks them. It returns the tool without its
// Impl, and the core of that Impl. There is no core if Build stops before the
// schemas.
func (d *draft) build(of origin) (*Tool, *core, error) {
	tool, c, mistakes := d.checked(of)
	if len(mistakes) > 0 {
		return nil, nil, joined(mistakes)
	}
	return tool, c, nil
}

// checked is build with the mistakes one by one.
func (d *draft) checked(of origin) (*Tool, *core, []*DeclarationError) {
	declared := d.verbs.over(&d.tags)
	declared = declared.over(&d.bases)
	joinDryRun(&declared, &d.tags)
	c := &checker{clauses: d.clauses, tags: d.tags, written: d.verbs, wrapped: bound.WrittenOf(&d.additions) != nil,
		passes: bound.PassesReported(&d.additions), verbatim: bound.KeepsReported(&d.additions)}
	for _, m := range bound.Mistakes(&d.additions) {
		c.bad(m.Rule, m.Where, m.Message, m.Remedy)
	}
	declared.mistakes = append(c.mistakes, declared.mistakes...)
	c.layer = declared
	in, tagged := of.in, of.in
	if w := bound.WrittenOf(&d.additions); w != nil && w.Input != nil {
		tagged = pointee(w.Input)
	}
	out, isReply := replyOut(of.out)
	out = pointee(out)
	if bound.CodeOf(of.handler) == 0 {
		c.bad(ruleHandlerNil, "handler", "the tool has no handler", "pass a function")
	}
	c.strayMarkers(in, out, of.previewData)
	c.check()
	d.binding.check(c)
	if bound.HasOnlyClauses(&d.additions) {
		if len(c.mistakes) > 0 {
			return nil, nil, c.named()
		}
		return &Tool{doc: c.doc}, nil, nil
	}

	if isReply && c.doc.Risk == risk.Restricted {
		c.bad(ruleRestrictedExpose, "outputSchema", "a restricted tool returns a Reply, whose content cannot be held to exposed fields",
			"return the struct itself")
	}
	inFields := c.fieldTags(tagged, schema.Input)
	outFields := c.fieldTags(out, schema.Output)
	c.keyFields(tagged, inFields)
	c.reconcileKey()
	c.unfilled = bound.LeavesArguments(&d.additions)
	c.protector = newProtector(bound.Protections(&d.additions))
	writtenInput := c.protector.publish(c.modern("inputSchema", in, d.inputSchema), schema.Input)
	writtenOutput := c.protector.publish(c.modern("outputSchema", out, d.outputSchema), schema.Output)
	input := c.withControls(c.schema("inputSchema", in, schema.Input, d.binding.input(c, in, writtenInput),
		c.publishing(schema.Input)), c.compileOptions(in, schema.Input))
	output, kind := c.output(out, outFields, d.binding.output(c, out, writtenOutput))
	c.protector.mark(c, inFields)
	tried := c.previewing(of.previewData, output, kind, c.compileOptions(out, schema.Output))

	rounds := c.rounds(&d.additions)
	if c.doc.isAtomic() && rounds > 0 {
		c.bad(ruleIdempotencyAtomic, "idempotency", "the handler of an atomic tool asks for an input, but a transaction ends with its "+
			"call", "remove one")
	}

	if len(c.mistakes) > 0 {
		return nil, nil, c.named()
	}
	tool := &Tool{doc: c.doc}
	tool.digest = sync.OnceValues(func() (string, error) { return tool.doc.Digest() })
	if !tool.doc.surelyHasDigest() {
		if _, err := tool.digest(); err != nil {
			// Every part of the document was made or read as JSON above.
			return nil, nil, []*DeclarationError{{Rule: ruleMetadataForm, Tool: c.doc.Name, Where: "document",
				Message: "the contract cannot be written as JSON", Remedy: "use plain data"}}
		}
	}
	results := strictjson.CodecOf(out)
	inner := &core{
		codec: strictjson.CodecOf(in),
		reader: argumentReader{
			schema: input, lenient: lenientReader(c.doc, input), controls: controls(c.doc.DryRun), checks: bound.Checks(&d.additions),
			compares:  c.doc.Idempotency != nil && c.doc.Idempotency.Mode.Deduplicates(),
			durations: schema.NewDurationReader(input.Document()),
		},
		results:  writerOf(kind, results, &c.doc, outFields, output),
		previews: tried,
		inFields: inFields,
		facts: bound.Facts{
			Handler:       bound.HandlerCode(&d.additions, of.handler),
			DryRun:        of.previewCode,
			Precheck:      bound.CodeOf(of.precheck),
			Reconcile:     bound.CodeOf(of.reconcile),
			Output:        kind,
			OutputSchema:  output,
			PreviewSchema: tried.schema,
			OtherErrors:   codeOf(c.genericFailure()),
			Reported:      codeOf(c.reportedFailure()),
			Verbatim:      c.verbatim,
			Rounds:        rounds,
			Asks:          declaredAsks.isIn(&c.layer),
			Unfilled:      c.unfilled,
			Written:       bound.WrittenOf(&d.additions),
			Converted:     c.converted,
			Unchecked:     c.unchecked,
			CallsMethods:  isReply || results.CallsMethods() || callsMethods(in) || callsMethods(of.previewData),
			HasSecrets:    inFields.HasSecret(),
			SecretKey:     c.doc.Idempotency != nil && inFields.HasSecretIn(c.doc.Idempotency.KeyFields),
			Tagged:        c.tagged(),
			Has:           of.has,
		},
	}
	inner.facts.Has.MustAsk = c.doc.Confirmation == ConfirmationWhen
	if d.binding != nil {
		tool.definition = d.binding.definition
	}
	return tool, inner, nil
}

// callsMethods reports whether values of a type may have methods that read or
// write them. A nil type has no values.
func callsMethods(t reflect.Type) bool { return t != nil && strictjson.CallsMethods(t) }

// pointee returns the struct that a pointer to one points to, and any other
// type as it is.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return t.Elem()
	}
	return t
}

func (c *checker) fieldTags(t reflect.Type, dir schema.Direction) *fieldtag.Fields {
	return fieldtag.Reader{Direction: dir, IsMarker: isMarker, Report: func(field, message, remedy string) {
		c.bad(ruleFieldTag, field, message, remedy)
	}}.Read(t)
}

// schema takes the author's schema or derives one, and compiles it.
func (c *checker) schema(clause string, t reflect.Type, dir schema.Direction, written *tree.Text,
	opts derive.Options) *schema.Schema {
	var compiled *schema.Schema
	var problems []schema.Problem
	if written == nil {
		compiled, problems = derive.Compile(t, dir, opts)
	} else {
		compiled, problems = schema.CompileText(written, c.compileOptions(t, dir))
		for i, p := range problems {
			problems[i] = uncheckable(p)
		}
	}
	if written != nil && t == rawType && !c.wrapped && len(problems) == 0 {
		document, _ := written.Document() // it has compiled
		problems = schema.UnknownKeywords(document)
	}
	c.problems(clause, problems)
	if len(problems) > 0 {
		return nil
	}
	if written != nil {
		document, _ := written.Document()
		c.protected(clause, t, document)
		if dir == schema.Input {
			c.bindable(t, document)
		}
	}
	if dir == schema.Input {
		c.doc.InputSchema = compiled.JSON()
	} else {
		c.doc.OutputSchema = compiled.JSON()
	}
	return compiled
}

// problems reports the mistakes in a schema.
func (c *checker) problems(clause string, problems []schema.Problem) {
	for _, p := range problems {
		where := clause
		if p.Field != "" {
			where += " " + strictjson.PrintablePointer(p.Field)
		}
		c.bad(p.Rule, where, p.Message, p.Remedy)
	}
}

// publishing makes derived schemas publish how their fields are protected, so
// that the protection is part of the contract and its comparisons.
func (c *checker) publishing(dir schema.Direction) derive.Options {
	return derive.Options{Protect: fieldtag.Keywords(dir), Types: c.types, OneOf: reflect.TypeFor[OneOf](),
		Duration: reflect.TypeFor[Duration]()}
}

// compileOptions returns the options for compiling a schema of t. The schema of
// raw arguments and results was often written elsewhere, so its formats count
// as annotations. So do the unknown keywords of a wrapped tool, which the wrap
// report lists.
func (c *checker) compileOptions(t reflect.Type, dir schema.Direction) schema.CompileOptions {
	return schema.CompileOptions{Lenient: t == rawType, Direction: dir, Unfilled: c.unfilled}
}

var (
	emptyType = reflect.TypeFor[struct{}]()
	rawType   = reflect.TypeFor[json.RawMessage]()
)

func (c *checker) output(t reflect.Type, fields *fieldtag.Fields, replaced *tree.Text) (*schema.Schema, bound.OutputKind) {
	restricted := c.doc.Risk == risk.Restricted
	if restricted && !fields.HasExposed() && t != emptyType {
		c.bad(ruleRestrictedExpose, "outputSchema", "a restricted tool returns nothing that is exposed",
			`tag output fields contract:"expose", or return struct{}`)
	}
	if restricted && replaced != nil {
		c.bad(ruleRestrictedExpose, "outputSchema", "a restricted tool replaces its output schema, which then publishes more than the "+
			"exposed fields", "remove OutputSchema; the schema follows from the exposed fields")
	}
	switch {
	case t == emptyType && !c.doc.hasDryRun(): // a preview stands beside an empty object
		return nil, bound.Empty
	case t == rawType && replaced == nil:
		return nil, bound.Untyped
	case isText(t):
		return nil, bound.Text
	}
	opts := c.publishing(schema.Output)
	if restricted {
		opts.Keep = exposed
	}
	return c.schema("outputSchema", t, schema.Output, replaced, opts), bound.Structured
}

func exposed(f reflect.StructField) bool {
	return fieldtag.Of(f, schema.Output).Has(fieldtag.Expose)
}
