package contract

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/derive"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// The members that a dry run adds to the arguments and results of a tool.
const (
	memberDryRun              = "dryRun"
	memberDryRunToken         = "dryRunToken"
	memberWarnings            = "warnings"
	memberMissingPermissions  = "missingPermissions"
	memberExpectedSideEffects = "expectedSideEffects"
	memberEstimatedDuration   = "estimatedDurationMs"
)

const (
	declaredDryRun  declaration[dryrun.Mode] = "dryRun"
	declaredPreview declaration[bool]        = "DryRun" // whether it was given a function
)

const (
	ruleDryRunFunction = "dryRun.function"
	ruleDryRunInput    = "dryRun.input"
	ruleDryRunOutput   = "dryRun.output"
	ruleDryRunData     = "dryRun.data"
)

func dryRunClause() clause {
	return clause{
		members: []string{"dryRun"},
		keys:    tagKeys{"dryRun": enumValue(declaredDryRun)},
		check:   checkDryRun,
		effective: func(d *Document) {
			if !d.DryRun.IsValid() {
				d.DryRun = dryrun.None
			}
		},
		rules: []BuildRule{
			{ID: ruleDryRunFunction, Summary: "A dry run has its own function."},
			{ID: ruleDryRunInput, Summary: "The input of a tool with a dry run has no member dryRun or dryRunToken, and a schema whose " +
				"root bounds each member by itself."},
			{ID: ruleDryRunOutput, Summary: "A tool with a dry run returns a struct, a map or raw JSON, without a member dryRun."},
			{ID: ruleDryRunData, Summary: "The data of a preview is a plain struct, without the members that every preview has."},
		},
	}
}

// DryRun lets callers preview a call with a second function that changes
// nothing: see [dryrun.By]. If a tag declares the dry run required, it is
// required with or without [dryrun.Clause.Required].
//
// The input schema gains the member dryRun (boolean) and, if a dry run is
// required, dryRunToken (string). A guard removes both: neither In nor anything
// else sees them, and Build refuses an input with a member of either name. The
// output schema becomes anyOf two schemas: that of Out (a struct, or a map
// without a member dryRun), and that of the preview. The preview has the
// members of the clause's data, a plain struct, next to those of
// [dryrun.Preview]. For a restricted tool, only the exposed fields of the data
// leave the server; the texts of a preview leave as the tool author wrote them.
//
// An Out of json.RawMessage without an output schema has none with a dry run
// either. A result with a member dryRun is then output_invalid, because it
// would look like a preview.
func (b *Builder[In, Out]) DryRun(preview dryrun.Clause[In]) *Builder[In, Out] {
	declaredDryRun.set(&b.verbs, preview.Mode())
	declaredPreview.set(&b.verbs, preview.Mode() != 0)
	b.preview = preview
	return b
}

// joinDryRun keeps a dry run required if the tags declare it so. The verb that
// sets its function must not weaken it.
func joinDryRun(merged, tags *layer) {
	if declaredDryRun.of(merged) == dryrun.Supported && declaredDryRun.of(tags) == dryrun.Required {
		declaredDryRun.set(merged, dryrun.Required)
	}
}

func checkDryRun(c *checker) {
	mode, declared := declaredDryRun.in(&c.layer)
	if !declared || mode == dryrun.None {
		return
	}
	if !declaredPreview.of(&c.layer) {
		c.bad(ruleDryRunFunction, "dryRun", "there is no function that previews", "call DryRun with dryrun.By(preview)")
	}
	c.doc.DryRun = mode
}

func (d Document) hasDryRun() bool {
	return d.DryRun == dryrun.Supported || d.DryRun == dryrun.Required
}

// controls returns the members that callers may send next to a tool's own
// arguments. The guard removes them before anything else reads the arguments.
func controls(mode dryrun.Mode) []tree.Keyword {
	var added []tree.Keyword
	switch mode {
	case dryrun.Required:
		added = []tree.Keyword{
			{Name: memberDryRun, Text: json.RawMessage(`{"type":"boolean","description":"True runs nothing: the answer is a preview of ` +
				`what this very call would do, with the dryRunToken that the call itself needs."}`)},
			{Name: memberDryRunToken, Text: json.RawMessage(`{"type":"string","description":"The dryRunToken of a preview of this very ` +
				`call. It is needed where dryRun is not true, and counts once, for a short time."}`)},
		}
	case dryrun.Supported:
		added = []tree.Keyword{
			{Name: memberDryRun, Text: json.RawMessage(`{"type":"boolean","description":"True runs nothing: the answer is a preview of ` +
				`what this very call would do."}`)},
		}
	case dryrun.None:
	}
	return added
}

// withControls adds the control members to an input schema.
func (c *checker) withControls(input *schema.Schema, opts schema.CompileOptions) *schema.Schema {
	added := controls(c.doc.DryRun)
	if input == nil || len(added) == 0 {
		return input
	}
	raw, problems := schema.WithProperties(input.JSON(), added...)
	for _, p := range problems {
		c.bad(ruleDryRunInput, strings.TrimSpace("inputSchema "+p.Field), p.Message, p.Remedy)
	}
	if len(problems) > 0 {
		return nil
	}
	compiled := c.compiled("inputSchema", raw, opts)
	if compiled != nil {
		c.doc.InputSchema = compiled.JSON()
	}
	return compiled
}

// compiled compiles a schema assembled from schemas that compile.
func (c *checker) compiled(clause string, raw json.RawMessage, opts schema.CompileOptions) *schema.Schema {
	s, problems := schema.Compile(raw, opts)
	for _, p := range problems {
		c.bad(p.Rule, strings.TrimSpace(clause+" "+p.Field), p.Message, p.Remedy)
	}
	return s
}

// A controlReader removes the control members from arguments that fit the
// schema.
type controlReader []tree.Keyword

// misspelt reports members named like the controls in another case. An open
// schema accepts them as the author's members, so a call meant as a dry run
// would run.
func (r controlReader) misspelt(tree any) []schema.Violation {
	members, _ := tree.(map[string]any)
	var found []schema.Violation
	for _, name := range slices.Sorted(maps.Keys(members)) {
		for _, control := range r {
			if name != control.Name && strings.EqualFold(name, control.Name) {
				found = append(found, schema.Violation{
					Rule: "schema.spelling", Pointer: strictjson.Pointer("", name), Message: `must be spelt "` + control.Name + `"`,
				})
			}
		}
	}
	return found
}

func (r controlReader) takeOff(tree any, into *bound.Arguments) {
	members, _ := tree.(map[string]any)
	for _, control := range r {
		switch control.Name {
		case memberDryRun:
			into.DryRun, _ = members[memberDryRun].(bool)
		case memberDryRunToken:
			into.DryRunToken, _ = members[memberDryRunToken].(string)
		}
		delete(members, control.Name)
	}
}

// A previewing holds the parts of a built tool that a dry run needs.
type previewing struct {
	schema *schema.Schema
	data   resultWriter // writes the data of a preview
}

// previewing checks a tool that has a dry run and so returns two kinds of
// object, and turns output into the schema of both.
func (c *checker) previewing(data reflect.Type, output *schema.Schema, kind bound.OutputKind,
	opts schema.CompileOptions) previewing {
	if !c.doc.hasDryRun() || data == nil {
		return previewing{}
	}
	if kind != bound.Structured && kind != bound.Untyped {
		c.bad(ruleDryRunOutput, "outputSchema", "a tool with a dry run does not return an object", "return a struct or a map")
	}
	p := c.previewOf(data)
	if output == nil || p.schema == nil {
		return p
	}
	if root, err := tree.Members(output.JSON()); err == nil && declares(root, memberDryRun) {
		c.bad(ruleDryRunOutput, "outputSchema /properties/"+memberDryRun, "results have a member that marks previews",
			"give it another name")
		return p
	}
	both, err := schema.AnyOf(output.JSON(), p.schema.JSON())
	if err != nil {
		c.bad(ruleDryRunOutput, "outputSchema", "the schema cannot stand beside that of a preview", "use a plain schema")
		return p
	}
	if union := c.compiled("outputSchema", both, opts); union != nil {
		c.doc.OutputSchema = union.JSON()
	}
	return p
}

func declares(root []tree.Keyword, name string) bool {
	for _, keyword := range root {
		if keyword.Name == "properties" {
			properties, err := tree.Members(keyword.Text)
			return err == nil && slices.ContainsFunc(properties, func(p tree.Keyword) bool { return p.Name == name })
		}
	}
	return false
}

// previewOf derives the schema of previews whose data has the given type. Only
// dryRun is required, because callers who lack a permission get none of the
// data.
func (c *checker) previewOf(data reflect.Type) previewing {
	if data.Kind() != reflect.Struct || derive.OwnForm(data, schema.Output) {
		c.bad(ruleDryRunData, "dryRun "+data.String(), "the data of a preview is not a plain struct",
			"use a struct whose fields are the members")
		return previewing{}
	}
	fields := c.fieldTags(data, schema.Output)
	opts := c.publishing(schema.Output)
	if c.doc.Risk == risk.Restricted {
		if !fields.HasExposed() && len(strictjson.FieldsOf(data)) > 0 {
			c.bad(ruleRestrictedExpose, "dryRun "+data.String(), "the preview of a restricted tool has data and exposes none of it",
				`tag fields contract:"expose", or leave the data out`)
		}
		opts.Keep = exposed
	}
	raw, problems := derive.Derive(data, schema.Output, opts)
	for _, p := range problems {
		c.bad(p.Rule, strings.TrimSpace("dryRun "+p.Field), p.Message, p.Remedy)
	}
	if len(problems) > 0 {
		return previewing{}
	}
	raw, problem := c.previewSchema(raw)
	if problem != "" {
		c.bad(ruleDryRunData, "dryRun "+data.String(), problem, "use a plain struct whose members have other names")
		return previewing{}
	}
	return previewing{
		schema: c.compiled("dryRun", raw, schema.CompileOptions{Direction: schema.Output}),
		data:   writerOf(bound.Structured, strictjson.Codec{}, &c.doc, fields, nil),
	}
}

// previewSchema adds the members of a preview to those of its data.
func (c *checker) previewSchema(data json.RawMessage) (json.RawMessage, string) {
	root, err := schema.Unrooted(data)
	if err != nil {
		return nil, "the data's schema cannot be read"
	}
	const texts = `{"type":"array","items":{"type":"string"},"description":`
	properties := []tree.Keyword{{Name: memberDryRun, Text: json.RawMessage(`{"type":"boolean","const":true,` +
		`"description":"Nothing ran: this is a preview."}`)}}
	own := []tree.Keyword{
		{Name: memberWarnings, Text: json.RawMessage(texts + `"What to know before agreeing to the call."}`)},
		{Name: memberMissingPermissions, Text: json.RawMessage(texts + `"What the caller lacks for the call."}`)},
		{Name: memberExpectedSideEffects, Text: json.RawMessage(texts + `"What the call would change."}`)},
		{Name: memberEstimatedDuration, Text: json.RawMessage(`{"type":"integer","minimum":0,"description":"How long the call would ` +
			`take, in milliseconds."}`)},
	}
	if c.doc.DryRun == dryrun.Required {
		own = append(own, tree.Keyword{Name: memberDryRunToken,
			Text: json.RawMessage(`{"type":"string","description":"What the ` +
				`call itself needs as its dryRunToken: once, for a short time."}`)})
	}
	var defs []tree.Keyword
	for _, keyword := range root {
		switch keyword.Name {
		case "properties":
			members, err := tree.Members(keyword.Text)
			if err != nil {
				return nil, "the data's schema cannot be read"
			}
			for _, m := range members {
				if isPreviewMember(m.Name) {
					return nil, "the member " + m.Name + " of the data is one of every preview's own"
				}
			}
			properties = append(properties, members...)
		case "$defs":
			defs = []tree.Keyword{keyword}
		case "type", "required", "additionalProperties", "title", "description":
		default:
			return nil, "the data's schema has " + keyword.Name + ", which cannot stand beside a preview's own members"
		}
	}
	return tree.WriteObject(append([]tree.Keyword{
		{Name: "type", Text: json.RawMessage(`"object"`)},
		{Name: "properties", Text: tree.WriteObject(append(properties, own...))},
		{Name: "required", Text: json.RawMessage(`["dryRun"]`)},
		{Name: "additionalProperties", Text: json.RawMessage(`false`)},
	}, defs...)), ""
}

func isPreviewMember(name string) bool {
	switch name {
	case memberDryRun, memberDryRunToken, memberWarnings, memberMissingPermissions, memberExpectedSideEffects,
		memberEstimatedDuration:
		return true
	}
	return false
}

// write returns a preview as one object, with the members of the data after
// dryRun.
func (w *previewing) write(p bound.Preview) ([]byte, any, error) {
	members := []tree.Keyword{{Name: memberDryRun, Text: json.RawMessage(`true`)}}
	var err error
	add := func(name string, value any) {
		raw, e := strictjson.MarshalValue(value)
		if e != nil && err == nil {
			err = e
		}
		members = append(members, tree.Keyword{Name: name, Text: raw})
	}
	if p.Data != nil {
		raw, _, e := w.data.write(p.Data)
		if e != nil {
			return raw, nil, e
		}
		own, e := tree.Members(raw)
		if e != nil {
			return nil, nil, e
		}
		members = append(members, own...)
		add(memberWarnings, orEmpty(p.Warnings))
	}
	add(memberMissingPermissions, orEmpty(p.MissingPermissions))
	add(memberExpectedSideEffects, orEmpty(p.ExpectedSideEffects))
	if p.EstimatedDuration > 0 {
		add(memberEstimatedDuration, int64((p.EstimatedDuration+time.Millisecond-1)/time.Millisecond))
	}
	if err != nil {
		return nil, nil, err
	}
	raw := tree.WriteObject(members)
	tree, err := strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
	return raw, tree, err
}

func orEmpty(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}
