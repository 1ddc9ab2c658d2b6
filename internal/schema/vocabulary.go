package schema

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// UniqueKeyword replaces uniqueItems in the document the validator sees. The
// validator's own check takes quadratic time for items with equal hashes, which
// a caller can choose; this package's check is linear.
const UniqueKeyword = "x-toolcontract-uniqueItems"

// newCompiler returns a compiler that loads nothing and checks formats and
// contents.
func newCompiler() *santhosh.Compiler {
	compiler := santhosh.NewCompiler()
	compiler.DefaultDraft(santhosh.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(compilePattern)
	compiler.AssertFormat()
	compiler.AssertContent()
	compiler.AssertVocabs()
	for _, format := range ownFormats() {
		compiler.RegisterFormat(format)
	}
	compiler.RegisterContentMediaType(jsonMediaType())
	compiler.RegisterVocabulary(&santhosh.Vocabulary{URL: "urn:toolcontract:vocabulary", Compile: compileExtension})
	return compiler
}

// compilePattern adapts [tree.Regexp] to the validator.
func compilePattern(pattern string) (santhosh.Regexp, error) {
	re, err := tree.Regexp(pattern)
	if err != nil {
		return nil, err
	}
	return re, nil
}

// knownFormats lists the formats that are checked: the validator's and those in
// [ownFormats].
var knownFormats = []string{
	"date", "date-time", "duration", "email", "hostname", "int16", "int32", "int64", "int8", "ipv4", "ipv6", "iri",
	"iri-reference", "json-pointer", "regex", "relative-json-pointer", "semver", "time", "uint16", "uint32", "uint64",
	"uint8", "uri", "uri-reference", "uri-template", "uuid",
}

// Formats returns the formats that are checked, sorted. The slice belongs to
// the caller.
func Formats() []string { return slices.Sorted(slices.Values(knownFormats)) }

var errFormat = errors.New("schema: not of this format")

// ownFormats returns the integer formats of the OpenAPI registry, which apply
// to numbers and to their decimal text. It also replaces two of the validator's
// formats: date-time, to accept what time.Time accepts (no leap seconds, no
// lower-case letters), and duration, to accept the durations that bounds apply
// to.
func ownFormats() []*santhosh.Format {
	formats := []*santhosh.Format{{Name: "date-time", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		return new(time.Time).UnmarshalText([]byte(text))
	}}, {Name: durationFormat, Validate: checkDuration}}
	for _, bits := range []int{8, 16, 32, 64} {
		formats = append(formats,
			&santhosh.Format{Name: fmt.Sprintf("int%d", bits), Validate: func(v any) error { return checkSigned(v, bits) }},
			&santhosh.Format{Name: fmt.Sprintf("uint%d", bits), Validate: func(v any) error { return checkUnsigned(v, bits) }})
	}
	return formats
}

func checkSigned(v any, bits int) error {
	limit := int64(math.MaxInt64) >> (64 - bits)
	ok := true
	switch v := v.(type) {
	case int64:
		ok = -limit-1 <= v && v <= limit
	case uint64:
		ok = v <= uint64(limit)
	case float64:
		ok = false
	case string:
		number, err := strconv.ParseInt(v, 10, bits)
		ok = err == nil && strconv.FormatInt(number, 10) == v
	}
	if !ok {
		return errFormat
	}
	return nil
}

func checkUnsigned(v any, bits int) error {
	limit := uint64(math.MaxUint64) >> (64 - bits)
	ok := true
	switch v := v.(type) {
	case int64:
		ok = v >= 0 && uint64(v) <= limit
	case uint64:
		ok = v <= limit
	case float64:
		ok = false
	case string:
		number, err := strconv.ParseUint(v, 10, bits)
		ok = err == nil && strconv.FormatUint(number, 10) == v
	}
	if !ok {
		return errFormat
	}
	return nil
}

// jsonMediaType reads embedded JSON strictly. The validator's own reader
// accepts numbers that make it panic.
func jsonMediaType() *santhosh.MediaType {
	parse := func(data []byte) (any, error) { return strictjson.Parse(data, strictjson.Limits{}) }
	return &santhosh.MediaType{
		Name:          "application/json",
		Validate:      func(data []byte) error { _, err := parse(data); return err },
		UnmarshalJSON: parse,
	}
}

// An extension is a check by this package that replaces one of the validator's
// or adds to it.
type extension struct {
	integer bool // integers are accepted; a whole number beyond 64 bits isn't one
	unique  bool // no two items are equal
	durationRange
}

func compileExtension(_ *santhosh.CompilerContext, doc map[string]any) (santhosh.SchemaExt, error) {
	types, _ := tree.TypesIn(doc["type"])
	ext := extension{integer: types&tree.NumberType == tree.IntegerType, unique: doc[UniqueKeyword] == true,
		durationRange: durationRangeOf(doc)}
	if ext == (extension{}) {
		return nil, nil
	}
	return ext, nil
}

// Validate implements [santhosh.SchemaExt].
func (e extension) Validate(ctx *santhosh.ValidatorContext, v any) {
	switch v := v.(type) {
	case float64:
		if e.integer && v == math.Trunc(v) {
			ctx.AddError(&kind.Type{Got: "number", Want: []string{"integer"}})
		}
	case string:
		e.durationRange.check(ctx, v)
	case []any:
		if !e.unique {
			return
		}
		if i, j, found := firstDuplicate(v); found {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{i, j}})
		}
	}
}

// firstDuplicate returns the first two items with the same canonical form.
func firstDuplicate(list []any) (first, second int, found bool) {
	seen := make(map[string]int, len(list))
	for i, item := range list {
		text, err := strictjson.Marshal(item)
		if err != nil {
			continue
		}
		if at, ok := seen[string(text)]; ok {
			return at, i, true
		}
		seen[string(text)] = i
	}
	return 0, 0, false
}
