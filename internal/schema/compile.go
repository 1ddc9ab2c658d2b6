package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/schema/defaults"
	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// CompileOptions adjusts [Compile]. The zero value is strict and meant for
// authors who write schemas for this library.
type CompileOptions struct {
	// Lenient reads a schema the way the specification does: unknown keywords,
	// formats and content encodings are annotations, and examples and enum
	// values aren't tried. A default that is refused, or can't be proved to
	// fit, is not filled in. It is meant for schemas written by others, such as
	// a proxied tool's.
	Lenient bool
	// Direction tells which values the schema describes. Only an Input has its
	// defaults filled in, so an Output may have defaults anywhere. The zero
	// value means Input.
	Direction Direction
	// Unfilled fills in no defaults, so they may appear anywhere.
	Unfilled bool
}

// A Schema is a compiled JSON Schema whose root is an object. It is immutable
// and safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	defaults *defaults.Plan
	// scanner compiles on first use, because a server's first calls need only a
	// few of its schemas.
	scanner func() *scan.Scanner
	// document reads the schema again on first use, so that only its text takes
	// memory until then.
	document func() *tree.Document
	// validator compiles on first use, unless Compile had to compile it to
	// check the schema.
	validator func() *validator
}

// Compile compiles a JSON Schema of draft 2020-12. If anything is wrong with
// it, the Schema is nil and the Problems list all mistakes, sorted by the JSON
// Pointers in their Field.
//
// Beyond the metaschema, Compile refuses a schema that can't be enforced:
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
// It also refuses a default that would not be filled in at its position, that
// its own schema refuses, or that another keyword may refuse: filling in
// defaults never turns a valid value into an invalid one. Package defaults
// states the rule.
func Compile(raw json.RawMessage, opts CompileOptions) (*Schema, []Problem) {
	return CompileText(tree.NewText(raw), opts)
}

// CompileText is Compile for a text that may already have been read.
func CompileText(text *tree.Text, opts CompileOptions) (*Schema, []Problem) {
	document, err := text.Document()
	if err != nil {
		return nil, []Problem{notJSON(err)}
	}
	return compile(text.Raw, document, opts, isWellFormed)
}

// compile compiles a document and its text. It doesn't ask the validator about
// a document that is certain to be well-formed.
func compile(
	raw json.RawMessage, document *tree.Document, opts CompileOptions, isWellFormed func(*tree.Document) bool,
) (*Schema, []Problem) {
	text := compact(raw)
	// The other problems may quote the document, so they wait until it is safe
	// to show.
	if !strictjson.IsPlain(text) {
		if problems := checkTexts(document.Root.Written()); len(problems) > 0 {
			if opts.Lenient {
				nameCleaner(raw, problems)
			}
			return nil, problems
		}
	}
	s, problems := compileDocument(text, document, opts, isWellFormed)
	if len(problems) > 0 {
		slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
		return nil, problems
	}
	return s, nil
}

// maxProblems is the number of mistakes of one kind at which the search stops.
// Each mistake has a pointer, which may be longer than the mistake itself.
const maxProblems = 100

// compileDocument compiles a document whose compact form is text.
func compileDocument(
	text json.RawMessage, document *tree.Document, opts CompileOptions, isWellFormed func(*tree.Document) bool,
) (*Schema, []Problem) {
	plain := isWellFormed(document)
	problems := slices.Concat(checkRoot(document.Root), lint(document, opts.Lenient))
	if !plain {
		problems = append(problems, checkMetaschema(document.Root.Written())...)
	}
	problems = append(problems, checkRecursion(document)...)
	// Trying the rest without the wrong keywords reports all mistakes at once.
	endless := slices.ContainsFunc(problems, func(p Problem) bool { return p.Rule == RuleRecursion })
	if endless || len(problems) >= maxProblems {
		return nil, problems
	}
	if len(problems) > 0 {
		document = withoutProblems(document, problems)
	}
	t := &valueTester{document: document, validator: sync.OnceValue(func() *validator { return newValidator(document) })}
	plain = plain && len(problems) == 0
	if plain {
		t.scanners = map[*tree.Node]*scan.Scanner{}
	} else if t.validator().root == nil {
		if len(problems) == 0 {
			problems = []Problem{{Rule: RuleCompile, Message: "does not compile", Remedy: "check its references and keywords"}}
		}
		return nil, problems // it may fail to compile only because of the others
	}
	filled, refused := t.tryValues(opts)
	if problems = append(problems, refused...); len(problems) > 0 {
		return nil, problems
	}
	s := &Schema{raw: text, defaults: filled, validator: t.validator}
	s.document = func() *tree.Document { return s.validator().document }
	read := s.document
	if plain {
		read = s.readAgain // the scanner no longer needs the document
		s.document = sync.OnceValue(s.readAgain)
		s.validator = sync.OnceValue(func() *validator { return newValidator(s.document()) })
	}
	s.scanner = sync.OnceValue(func() *scan.Scanner { return s.newScanner(read().Root, opts.Direction) })
	return s, nil
}

// readAgain reads the document again from the text of a compiled schema.
func (s *Schema) readAgain() *tree.Document {
	document, err := tree.Read(s.raw)
	if err != nil {
		return tree.Of(nil) // it was read before
	}
	return document
}

// JSON returns the schema as given, without white space. The caller may keep
// the bytes but must not change them.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Document returns the schema's document.
func (s *Schema) Document() *tree.Document { return s.document() }

// Fill returns value with the defaults of absent properties, as
// [defaults.Plan.Fill] describes. Only an Input has defaults to fill in.
func (s *Schema) Fill(value any) (filled any, changed bool) { return s.defaults.Fill(value) }

// Omit reverses Fill: it returns value without the properties that equal their
// default.
func (s *Schema) Omit(value any) (rest any, changed bool) { return s.defaults.Omit(value) }

// HasDefaults reports whether Fill may fill in anything.
func (s *Schema) HasDefaults() bool { return s.defaults != nil }

// withoutProblems returns a document without the keywords the problems point
// into.
func withoutProblems(document *tree.Document, problems []Problem) *tree.Document {
	type place struct {
		schema  *tree.Node
		keyword string
	}
	dropped := map[place]bool{}
	for _, p := range problems {
		for end := len(p.Field); end > 0; {
			end = strings.LastIndexByte(p.Field[:end], '/')
			if n := document.At(p.Field[:max(end, 0)]); n != nil {
				keyword, _, _ := strings.Cut(p.Field[end+1:], "/")
				dropped[place{n, strictjson.UnescapeToken(keyword)}] = true
				break
			}
		}
	}
	return document.Without(func(n *tree.Node, keyword string) bool { return dropped[place{n, keyword}] })
}

func notJSON(err error) Problem {
	problem := Problem{Rule: RuleCompile, Message: "is not JSON", Remedy: "give one JSON object"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		problem.Field, problem.Message = syntax.Pointer, syntax.Message
	}
	return problem
}

// compact returns a copy of JSON text without white space.
func compact(raw json.RawMessage) json.RawMessage {
	if isCompact(raw) {
		return slices.Clone(raw)
	}
	out := bytes.NewBuffer(make([]byte, 0, len(raw)))
	if err := json.Compact(out, raw); err != nil {
		return raw
	}
	return out.Bytes()
}

// isCompact reports whether JSON text has no white space outside its strings.
func isCompact(raw json.RawMessage) bool {
	inString := false
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			inString = !inString
		case '\\':
			i++ // escapes occur only in strings
		case ' ', '\t', '\n', '\r':
			if !inString {
				return false
			}
		}
	}
	return true
}

// checkRoot checks that the root has "type": "object", which MCP requires of a
// tool's schemas.
func checkRoot(root *tree.Node) []Problem {
	if root.Value("type") == "object" {
		return nil
	}
	return []Problem{{
		Rule: RuleRoot, Message: `must be an object with "type": "object"`,
		Remedy: `MCP clients refuse any other root; write "type": "object" and put the rest into its properties`,
	}}
}

// metaschema returns the draft 2020-12 metaschema, which the validator embeds.
var metaschema = sync.OnceValues(func() (*santhosh.Schema, error) {
	compiler := santhosh.NewCompiler()
	compiler.UseLoader(noLoader{})
	return compiler.Compile(santhosh.Draft2020.String())
})

// checkMetaschema reports keywords whose values are wrong, such as a minimum
// that is a string.
func checkMetaschema(document any) []Problem {
	meta, err := metaschema()
	if err != nil {
		return []Problem{{Rule: RuleCompile, Message: "the metaschema does not compile"}}
	}
	var broken *santhosh.ValidationError
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

// noLoader loads nothing: every reference must stay within the document.
type noLoader struct{}

var errNoLoading = errors.New("schema: nothing is loaded")

// Load always returns an error.
func (noLoader) Load(string) (any, error) { return nil, errNoLoading }
