package oldschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// CompileOptions adjust [Compile]. The zero value is strict: what an author writes for this library.
type CompileOptions struct {
	// Lenient reads a schema as the specification does: unknown keywords, formats and content encodings are
	// annotations, and examples and enum values are not tried. A default that would be refused is not filled in.
	// It is meant for the schemas of others, such as a proxied tool's.
	Lenient bool
}

// A Schema is a compiled JSON Schema whose root is an object. It is immutable and safe for concurrent use.
type Schema struct {
	raw       json.RawMessage
	graph     *graph
	validator *jsonschema.Schema
}

// documentURL names the document to the validator. Nothing is ever loaded from it, or from anywhere.
const documentURL = "mem:///schema"

// Compile makes a Schema of a JSON Schema of draft 2020-12, or says everything that is wrong with it, in the order of
// the document's pointers; a Problem's Field is such a pointer. The Schema is nil where there is a Problem.
//
// Beyond what the metaschema demands, it refuses what could not be kept: a root that is not an object, a reference that
// leads out of the document (nothing is read, neither from the network nor from disk), a regular expression that is not
// RE2, formats and content encodings that nothing checks, keywords that do not exist (x-… is free), a schema whose
// checking has no useful bound, and examples and enum values that their own schema refuses.
//
// A default is refused where its own schema refuses it or where it would be filled in: by any schema that applies to the
// member that gets it (beside a $ref, in a part of an allOf, by a pattern, by the names of members), or by the object's,
// where an object of nothing but what is required is accepted without the default and refused with it. So are two
// defaults of one member that differ once they are filled in. What takes more to know is left to the call: what a
// default does to objects with further members, to what stands around its object (an if, a not, a count of other
// members further up), under names that match three patterns, and where what is required cannot be made up.
func Compile(raw json.RawMessage, opts CompileOptions) (*Schema, []Problem) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	s := &Schema{raw: compact(raw), graph: newGraph(document)}
	problems := slices.Concat(checkRoot(document), s.graph.lint(opts.Lenient), checkMetaschema(document), s.graph.checkRecursion())
	// What is known to be wrong is taken out, so that the rest can be tried: all mistakes are reported at once.
	endless := slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == RuleRecursion })
	for _, problem := range problems {
		s.graph.drop(problem.Field)
	}
	if !endless {
		problems = append(problems, s.tryOut(document, len(problems) == 0, opts.Lenient)...)
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
		return nil, problems
	}
	return s, nil
}

// tryOut compiles the document and tries the values that it holds. Where the document is known to be faulty, what does
// not compile is no news.
func (s *Schema) tryOut(document any, faultless, lenient bool) []Problem {
	compiler, err := s.compile(document)
	switch {
	case err == nil:
		return s.checkValues(compiler, lenient)
	case faultless:
		return []Problem{{Rule: RuleCompile, Message: "does not compile", Remedy: "check its references and keywords"}}
	default:
		return nil
	}
}

// JSON returns the schema as it was given, without white space. The bytes are the caller's to keep, not to change.
func (s *Schema) JSON() json.RawMessage { return s.raw }

func notJSON(err error) Problem {
	problem := Problem{Rule: RuleCompile, Message: "is not JSON", Remedy: "give one JSON object"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		problem.Field, problem.Message = syntax.Pointer, syntax.Message
	}
	return problem
}

func compact(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if err := json.Compact(&out, raw); err != nil {
		return raw
	}
	return out.Bytes()
}

// checkRoot holds the root to what MCP demands of a tool's schemas: "type": "object".
func checkRoot(document any) []Problem {
	root, ok := document.(map[string]any)
	if ok && root["type"] == "object" {
		return nil
	}
	return []Problem{{
		Rule: RuleRoot, Message: `must be an object with "type": "object"`,
		Remedy: `MCP clients refuse any other root; write "type": "object" and put the rest into its properties`,
	}}
}

// metaschema is draft 2020-12's own schema, which the validator carries.
var metaschema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	return compiler.Compile(jsonschema.Draft2020.String())
})

// checkMetaschema reports keywords whose own values are wrong, such as a minimum that is a string.
func checkMetaschema(document any) []Problem {
	meta, err := metaschema()
	if err != nil {
		return []Problem{{Rule: RuleCompile, Message: "the metaschema does not compile"}}
	}
	var broken *jsonschema.ValidationError
	if !errors.As(meta.Validate(document), &broken) {
		return nil
	}
	var problems []Problem
	for _, v := range report(broken, nil) {
		problems = append(problems, Problem{
			Rule: RuleCompile, Field: v.Pointer, Message: v.Message,
			Remedy: "see JSON Schema, draft 2020-12",
		})
	}
	return problems
}

// compile hands the document to the validator. It changes the document: keywords that the validator does not keep well
// are moved to this package's own vocabulary.
func (s *Schema) compile(document any) (*jsonschema.Compiler, error) {
	for _, n := range s.graph.order {
		delete(n.doc, "$id")
		if n.doc["uniqueItems"] == true {
			delete(n.doc, "uniqueItems")
			n.doc[uniqueKeyword] = true
		}
	}
	compiler := newCompiler()
	if err := compiler.AddResource(documentURL, document); err != nil {
		return nil, fmt.Errorf("schema: add document: %w", err)
	}
	var err error
	if s.validator, err = compiler.Compile(documentURL); err != nil {
		return nil, fmt.Errorf("schema: compile: %w", err)
	}
	return compiler, nil
}

// noLoader loads nothing: every reference must be within the document.
type noLoader struct{}

var errNoLoading = errors.New("schema: nothing is loaded")

// Load refuses.
func (noLoader) Load(string) (any, error) { return nil, errNoLoading }
