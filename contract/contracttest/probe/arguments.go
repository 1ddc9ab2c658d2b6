package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Arguments draws the arguments of a tool. It is safe for concurrent use.
// [ArgumentsOf] makes one.
type Arguments struct {
	compiled *schema.Schema
	// judge returns the violations of arguments, with their defaults. A tool's
	// own reader finds more than its schema names. Nil: those of the schema.
	judge func(raw json.RawMessage) []schema.Violation
	// without lists members of the root that are never drawn.
	without []string
	samples []Value
	gaps    []Gap
}

// ArgumentsOf returns what draws the arguments of a tool. A call reads every
// value that is valid, so a violation that the tool's own type finds counts
// too. The members dryRun and dryRunToken are never drawn. The error names the
// keyword that refused most values, if no drawn value is accepted.
func ArgumentsOf(tool *contract.Tool) (*Arguments, error) {
	half := bound.Of(tool)
	args := &Arguments{judge: func(raw json.RawMessage) []schema.Violation {
		_, violations := half.Decode(raw)
		return violations
	}}
	doc := tool.Document()
	if doc.DryRun != 0 {
		args.without = []string{"dryRun", "dryRunToken"}
	}
	if err := args.read(doc.InputSchema); err != nil {
		return nil, err
	}
	return args, nil
}

// A Value is a drawn value.
type Value struct {
	// Tree is the value as [Parse] returns it. Do not change it.
	Tree any
	// JSON is its canonical form, with exact integers.
	JSON json.RawMessage
}

// A Broken is a value with exactly one violation.
type Broken struct {
	Value

	// Keyword is the violated keyword, such as "minLength".
	Keyword string
	// Pointer is the JSON Pointer of the violation into the value.
	Pointer string
}

// A Gap is a part of a schema that no accepted value has.
type Gap struct {
	// Schema is the JSON Pointer of the part in the schema.
	Schema string
	// Keyword is the keyword that refuses most of the values drawn for it.
	Keyword string
	// Pointer is where the keyword refused the last of them.
	Pointer string
}

// String returns the gap as one sentence.
func (g Gap) String() string {
	return fmt.Sprintf("no value for %s was accepted: %s refuses them at %s", shown(g.Schema), g.Keyword, shown(g.Pointer))
}

func shown(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}

// An unsatisfiedError reports a schema for which no drawn value was accepted.
type unsatisfiedError struct{ Gap }

// Error returns the keyword that refused most values, and where.
func (e *unsatisfiedError) Error() string { return "draw: " + e.String() }

// surveyed is how many values are drawn to find out what a schema accepts.
const surveyed = 64

// read finds out what a schema accepts. The error is an
// *unsatisfiedError if the validator refuses every drawn value.
func (args *Arguments) read(raw json.RawMessage) error {
	compiled, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		all := make([]error, len(problems))
		for i, p := range problems {
			all[i] = fmt.Errorf("draw: %s: %s", shown(p.Field), p.Message)
		}
		return errors.Join(all...)
	}
	args.compiled = compiled
	var found survey
	for seed := range uint64(surveyed) {
		found.add(args.attempt(Random(seed)))
	}
	args.samples = found.accepted
	args.gaps = found.gaps()
	if len(args.samples) == 0 {
		return &unsatisfiedError{found.refusal("")}
	}
	return nil
}

// Gaps returns the parts of the schema that no accepted value has, sorted. They
// are found by drawing, so a part that is hard to satisfy can be one of them.
func (args *Arguments) Gaps() []Gap { return slices.Clone(args.gaps) }

// Samples returns accepted values, in a fixed order.
func (args *Arguments) Samples() []Value { return slices.Clone(args.samples) }

// tries is how many values are drawn for one accepted value.
const tries = 20

// Valid draws a value that the schema accepts.
func (args *Arguments) Valid(from Source) Value { return args.valid(from).value }

// valid draws until a value is accepted, and falls back to a sample.
func (args *Arguments) valid(from Source) attempt {
	for range tries {
		if a := args.attempt(from); len(a.violations) == 0 {
			return a
		}
	}
	return attempt{value: args.samples[from.Uint(uint64(len(args.samples)-1))]}
}

// An attempt is one drawn value with the parts of the schema that it has.
type attempt struct {
	value      Value
	violations []schema.Violation
	trace      trace
}

func (args *Arguments) attempt(from Source) attempt {
	d := drawer{args: args, from: from, trace: trace{}}
	d.plain = d.coin()
	tree := d.value("", []*jsonschema.Node{args.compiled.Document().Root}, 0)
	value, err := valueOf(tree)
	if err != nil {
		return attempt{violations: []schema.Violation{{Rule: schema.RuleInternal}}, trace: d.trace}
	}
	return attempt{value: value, violations: args.violations(value), trace: d.trace}
}

// keywordPrefix begins the rules of violations of a keyword.
const keywordPrefix = "schema."

// violations judges a value as a call does.
func (args *Arguments) violations(v Value) []schema.Violation {
	filled, _ := args.compiled.Fill(v.Tree)
	found := args.compiled.Validate(filled)
	if len(found) == 0 && args.judge != nil {
		return args.judge(v.JSON)
	}
	return found
}

// valueOf returns a tree in its canonical form.
func valueOf(tree any) (Value, error) {
	raw, err := strictjson.Marshal(tree)
	if err != nil {
		return Value{}, err
	}
	canonical, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return Value{}, err
	}
	return Value{Tree: canonical, JSON: raw}, nil
}

func keywordOf(v schema.Violation) string { return strings.TrimPrefix(v.Rule, keywordPrefix) }

// GoString returns the value as JSON, for the logs of tests.
func (v Value) GoString() string { return string(v.JSON) }
