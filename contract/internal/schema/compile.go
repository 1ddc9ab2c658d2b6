package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/contract/internal/defaults"
	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// CompileOptions adjust [Compile]. The zero value is strict: what an author writes for this library.
type CompileOptions struct {
	// Lenient reads a schema as the specification does: unknown keywords, formats and content encodings are
	// annotations, and examples and enum values are not tried. A default that would be refused is not filled in.
	// It is meant for the schemas of others, such as a proxied tool's.
	Lenient bool
	// Direction is that of the described values. Defaults are filled into an
	// Input only, so those of an Output may stand anywhere. The zero value
	// means Input.
	Direction Direction
}

// A Schema is a compiled JSON Schema whose root is an object. It is immutable and safe for concurrent use.
type Schema struct {
	raw       json.RawMessage
	document  *schemadoc.Document
	defaults  *defaults.Defaults
	validator *jsonschema.Schema
}

// documentURL names the document to the validator. Nothing is ever loaded from it, or from anywhere.
const documentURL = "mem:///schema"

// Compile makes a Schema of a JSON Schema of draft 2020-12. If anything is
// wrong with it, the Schema is nil and the Problems are all mistakes, sorted by
// the JSON Pointers in their Field.
//
// Beyond what the metaschema demands, Compile refuses what could not be
// enforced: a root that is not an object, a reference that leads out of the
// document (nothing is read from the network or from disk), a regular
// expression that is not RE2, formats and content encodings that nothing
// checks, unknown keywords except x-…, a schema whose validation has no useful
// bound, and examples and enum values that their own schema refuses.
//
// It refuses a default that would not be filled in where it stands, that its
// own schema refuses, or that makes an object of nothing but the required
// members break its schema. How a default interacts with other members, or
// with keywords around its object, is left to the call.
func Compile(raw json.RawMessage, opts CompileOptions) (*Schema, []Problem) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	s := &Schema{raw: compact(raw), document: schemadoc.New(document)}
	problems := slices.Concat(checkRoot(document), lint(s.document, opts.Lenient), checkMetaschema(document), checkRecursion(s.document))
	// What is known to be wrong is taken out, so that the rest can be tried: all mistakes are reported at once.
	endless := slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == RuleRecursion })
	for _, problem := range problems {
		drop(s.document, problem.Field)
	}
	if !endless {
		problems = append(problems, s.tryOut(document, len(problems) == 0, opts)...)
	}
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
		return nil, problems
	}
	return s, nil
}

// tryOut compiles the document and tries the values that it holds. Where the document is known to be faulty, what does
// not compile is no news.
func (s *Schema) tryOut(document any, faultless bool, opts CompileOptions) []Problem {
	compiler, err := s.compile(document)
	switch {
	case err == nil:
		return s.tryValues(compiler, opts)
	case faultless:
		return []Problem{{Rule: RuleCompile, Message: "does not compile", Remedy: "check its references and keywords"}}
	default:
		return nil
	}
}

// JSON returns the schema as it was given, without white space. The bytes are the caller's to keep, not to change.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Fill returns tree with the defaults of absent properties, as
// [defaults.Defaults.Fill] describes. Only an Input has defaults to fill in.
func (s *Schema) Fill(tree any) (filled any, changed bool) { return s.defaults.Fill(tree) }

// drop removes the keyword that a pointer leads into.
func drop(document *schemadoc.Document, pointer string) {
	for end := len(pointer); end > 0; {
		end = strings.LastIndexByte(pointer[:end], '/')
		if n := document.At(pointer[:max(end, 0)]); n != nil {
			keyword, _, _ := strings.Cut(pointer[end+1:], "/")
			delete(n.Keywords, keyword)
			return
		}
	}
}

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
	for _, n := range s.document.All {
		delete(n.Keywords, "$id")
		if n.Keywords["uniqueItems"] == true {
			delete(n.Keywords, "uniqueItems")
			n.Keywords[UniqueKeyword] = true
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
