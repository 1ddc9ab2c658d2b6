package draw

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Options adjust [New]. The zero value judges values by the schema alone.
type Options struct {
	// Judge returns the violations of arguments, with their defaults. A tool's
	// own reader finds more than its schema names. Nil: those of the schema.
	Judge func(raw json.RawMessage) []schema.Violation
	// Without lists members of the root that are never drawn.
	Without []string
}

// A Schema draws values of one JSON Schema. It is safe for concurrent use.
type Schema struct {
	compiled *schema.Schema
	opts     Options
	samples  []Value
	gaps     []Gap
}

// A Value is a drawn value.
type Value struct {
	// Tree is the value as strictjson.Parse returns it. Do not change it.
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

// An UnsatisfiedError reports a schema for which no drawn value was accepted.
type UnsatisfiedError struct{ Gap }

// Error returns the keyword that refused most values, and where.
func (e *UnsatisfiedError) Error() string { return "draw: " + e.String() }

// surveyed is how many values New draws to find out what a schema accepts.
const surveyed = 64

// New returns a Schema that draws values of raw. The error is an
// [*UnsatisfiedError] if the validator refuses every drawn value.
func New(raw json.RawMessage, opts Options) (*Schema, error) {
	compiled, problems := schema.Compile(raw, schema.CompileOptions{Lenient: true})
	if len(problems) > 0 {
		all := make([]error, len(problems))
		for i, p := range problems {
			all[i] = fmt.Errorf("draw: %s: %s", shown(p.Field), p.Message)
		}
		return nil, errors.Join(all...)
	}
	s := &Schema{compiled: compiled, opts: opts}
	var found survey
	for seed := range uint64(surveyed) {
		found.add(s.attempt(Random(seed)))
	}
	s.samples = found.accepted
	s.gaps = found.gaps()
	if len(s.samples) == 0 {
		return nil, &UnsatisfiedError{found.refusal("")}
	}
	return s, nil
}

// Gaps returns the parts of the schema that no accepted value has, sorted. They
// are found by drawing, so a part that is hard to satisfy can be one of them.
func (s *Schema) Gaps() []Gap { return slices.Clone(s.gaps) }

// Samples returns accepted values, in a fixed order.
func (s *Schema) Samples() []Value { return slices.Clone(s.samples) }

// tries is how many values are drawn for one accepted value.
const tries = 20

// Valid draws a value that the schema accepts.
func (s *Schema) Valid(from Source) Value { return s.valid(from).value }

// valid draws until a value is accepted, and falls back to a sample.
func (s *Schema) valid(from Source) attempt {
	for range tries {
		if a := s.attempt(from); len(a.violations) == 0 {
			return a
		}
	}
	return attempt{value: s.samples[from.Uint(uint64(len(s.samples)-1))]}
}

// An attempt is one drawn value with the parts of the schema that it has.
type attempt struct {
	value      Value
	violations []schema.Violation
	trace      trace
}

func (s *Schema) attempt(from Source) attempt {
	d := drawer{schema: s, from: from, trace: trace{}}
	d.plain = d.coin()
	tree := d.value("", []*jsonschema.Node{s.compiled.Document().Root}, 0)
	value, err := valueOf(tree)
	if err != nil {
		return attempt{violations: []schema.Violation{{Rule: schema.RuleInternal}}, trace: d.trace}
	}
	return attempt{value: value, violations: s.violations(value), trace: d.trace}
}

// keywordPrefix begins the rules of violations of a keyword.
const keywordPrefix = "schema."

// violations judges a value as a call does.
func (s *Schema) violations(v Value) []schema.Violation {
	filled, _ := s.compiled.Fill(v.Tree)
	found := s.compiled.Validate(filled)
	if len(found) == 0 && s.opts.Judge != nil {
		return s.opts.Judge(v.JSON)
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
