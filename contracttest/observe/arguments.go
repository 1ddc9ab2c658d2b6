package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Arguments draws arguments for a tool. [ArgumentsOf] creates one. It is safe
// for concurrent use.
type Arguments struct {
	compiled *schema.Schema
	// judge returns the violations of arguments once defaults are filled in.
	// The tool's own reader finds more than its schema does. Nil: use the
	// schema.
	judge func(raw json.RawMessage) []schema.Violation
	// without lists members of the root that are never drawn.
	without []string
	samples []Value
	gaps    []gap
}

// ArgumentsOf returns a generator of arguments for a tool. A call decodes every
// valid value, so a violation found by the tool's own type counts too. The
// members dryRun and dryRunToken are never drawn. If no drawn value is
// accepted, the error names the keyword that refused the most.
func ArgumentsOf(tool *contract.Tool) (*Arguments, error) {
	input := bound.Of(tool)
	args := &Arguments{judge: func(raw json.RawMessage) []schema.Violation {
		_, violations := input.Decode(raw)
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
	// JSON is the value's canonical form, with exact integers.
	JSON json.RawMessage
}

// A Broken is a value with exactly one violation.
type Broken struct {
	Value

	// Keyword is the violated keyword, such as "minLength".
	Keyword string
	// Pointer is the JSON Pointer to the violation within the value.
	Pointer string
}

// A gap is a part of a schema that no accepted value has.
type gap struct {
	schema  string // the JSON Pointer of the part in the schema
	keyword string // the one that refuses most of the values drawn for it
	pointer string // where the keyword refused the last of them
}

// String returns the gap as one sentence.
func (g gap) String() string {
	return fmt.Sprintf("no value for %s was accepted: %s refuses them at %s", display(g.schema), g.keyword, display(g.pointer))
}

func display(pointer string) string {
	if pointer == "" {
		return "the root"
	}
	return pointer
}

// surveySize is how many values are drawn to find out what a schema accepts.
const surveySize = 64

// read finds out what a schema accepts. It returns an error if the validator
// refuses every drawn value.
func (args *Arguments) read(raw json.RawMessage) error {
	compiled, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		all := make([]error, len(problems))
		for i, p := range problems {
			all[i] = fmt.Errorf("draw: %s: %s", display(p.Field), p.Message)
		}
		return errors.Join(all...)
	}
	args.compiled = compiled
	var found survey
	for seed := range uint64(surveySize) {
		found.add(args.attempt(Random(seed)))
	}
	args.samples = found.accepted
	args.gaps = found.gaps()
	if len(args.samples) == 0 {
		return fmt.Errorf("draw: %v", found.refusal(""))
	}
	return nil
}

// Gaps describes the parts of the schema that no accepted value has. Each gap
// is one sentence that names the keyword refusing the drawn values. Gaps are
// found by drawing, so a part that is hard to satisfy may be among them.
func (args *Arguments) Gaps() []string {
	texts := make([]string, len(args.gaps))
	for i, g := range args.gaps {
		texts[i] = g.String()
	}
	return texts
}

// Samples returns accepted values, in a fixed order.
func (args *Arguments) Samples() []Value { return slices.Clone(args.samples) }

// tries is how many values are drawn to get one that is accepted.
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

// An attempt is one drawn value, with the parts of the schema that it has.
type attempt struct {
	value      Value
	violations []schema.Violation
	trace      trace
}

func (args *Arguments) attempt(from Source) attempt {
	d := drawer{args: args, from: from, trace: trace{}}
	d.plain = d.coin()
	drawn := d.value("", []*tree.Node{args.compiled.Document().Root}, 0)
	value, err := valueOf(drawn)
	if err != nil {
		return attempt{violations: []schema.Violation{{Rule: schema.RuleInternal}}, trace: d.trace}
	}
	return attempt{value: value, violations: args.violations(value), trace: d.trace}
}

// keywordPrefix begins the rule of each violation of a keyword.
const keywordPrefix = "schema."

// violations judges a value as a call would.
func (args *Arguments) violations(v Value) []schema.Violation {
	filled, _ := args.compiled.Fill(v.Tree)
	found := args.compiled.Validate(filled)
	if len(found) == 0 && args.judge != nil {
		return args.judge(v.JSON)
	}
	return found
}

// valueOf returns a value with its canonical form.
func valueOf(value any) (Value, error) {
	raw, err := strictjson.Marshal(value)
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
