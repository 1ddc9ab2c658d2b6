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
	"github.com/toolcontract/toolcontract/contract/internal/scan"
	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// CompileOptions adjust [Compile]. The zero value is strict, for an author who
// writes a schema for this library.
type CompileOptions struct {
	// Lenient reads a schema as the specification does: unknown keywords,
	// formats and content encodings are annotations, and examples and enum
	// values are not tried. A refused default is not filled in. It is meant for
	// the schemas of others, such as that of a proxied tool.
	Lenient bool
	// Direction is that of the described values. Defaults are filled into an
	// Input only, so those of an Output may stand anywhere. The zero value
	// means Input.
	Direction Direction
}

// A Schema is a compiled JSON Schema whose root is an object. It is immutable
// and safe for concurrent use.
type Schema struct {
	raw       json.RawMessage
	document  *schemadoc.Document
	defaults  *defaults.Defaults
	validator *jsonschema.Schema
	scanner   *scan.Scanner
}

// documentURL identifies the document to the validator. Nothing is loaded from
// it.
const documentURL = "mem:///schema"

// Compile makes a Schema of a JSON Schema of draft 2020-12. If anything is
// wrong with it, the Schema is nil and the Problems are all mistakes, sorted by
// the JSON Pointers in their Field.
//
// Beyond the metaschema, Compile refuses a schema that cannot be enforced:
//
//   - a root that is not an object;
//   - a reference that leads out of the document, because nothing is read from
//     the network or from disk;
//   - a regular expression that is not RE2;
//   - a format or content encoding that nothing checks;
//   - an unknown keyword that does not begin with x-;
//   - a schema whose validation has no useful bound;
//   - an example or an enum value that its own schema refuses;
//   - a text or a name that hides text, reorders it or controls a terminal.
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
	// The other problems may quote the document, so they wait until it can be
	// shown.
	if problems := checkTexts("", document); len(problems) > 0 {
		if opts.Lenient {
			nameCleaner(raw, problems)
		}
		return nil, problems
	}
	s := &Schema{raw: compact(raw), document: schemadoc.New(document)}
	problems := slices.Concat(checkRoot(document), lint(s.document, opts.Lenient), checkMetaschema(document), checkRecursion(s.document))
	// Without the keywords that are wrong the rest can be tried, so that all
	// mistakes are reported at once.
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

// tryOut compiles the document and tries the values that it holds. A document
// with problems may not compile because of them.
func (s *Schema) tryOut(document any, faultless bool, opts CompileOptions) []Problem {
	compiler, err := s.compile(document)
	switch {
	case err == nil:
		problems := s.tryValues(compiler, opts)
		if len(problems) == 0 {
			s.scanner = newScanner(s, compiler, opts.Direction)
		}
		return problems
	case faultless:
		return []Problem{{Rule: RuleCompile, Message: "does not compile", Remedy: "check its references and keywords"}}
	default:
		return nil
	}
}

// JSON returns the schema as it was given, without white space. The caller may
// keep the bytes and must not change them.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Document returns the schemas of s. The caller must not change their keywords.
func (s *Schema) Document() *schemadoc.Document { return s.document }

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

// checkRoot checks that the root has "type": "object", which MCP requires of
// the schemas of a tool.
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

// metaschema returns the schema of draft 2020-12, which the validator embeds.
var metaschema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	return compiler.Compile(jsonschema.Draft2020.String())
})

// checkMetaschema reports keywords whose values are wrong, such as a minimum
// that is a string.
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

// compile compiles the document with the validator. It changes the document:
// keywords that the validator does not check well move to the vocabulary of
// this package.
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

// noLoader loads nothing, because every reference must be within the document.
type noLoader struct{}

var errNoLoading = errors.New("schema: nothing is loaded")

// Load returns an error.
func (noLoader) Load(string) (any, error) { return nil, errNoLoading }
