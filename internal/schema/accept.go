package schema

import (
	"slices"
	"sync"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/internal/schema/defaults"
	"github.com/toolcontract/toolcontract/internal/schema/scan"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// Accept returns the canonical form of a JSON text, with the defaults of an
// Input filled in. ok is true only if the text is certain to satisfy the
// schema. Accept is much faster than parsing, Fill and Validate, which handle
// every other text and describe its violations.
func (s *Schema) Accept(text []byte) (canonical []byte, ok bool) { return s.scanner().Canonical(text) }

// Fits is like Accept but doesn't produce the canonical form.
func (s *Schema) Fits(text []byte) bool { return s.scanner().Fits(text) }

// newScanner returns the scanner for a schema, or nil if the schema can't have
// one.
func (s *Schema) newScanner(root *tree.Node, direction Direction) *scan.Scanner {
	var fill *defaults.Plan
	if direction != Output {
		fill = s.defaults
	}
	return scan.New(root, fill, scanned(func(n *tree.Node) func(any) bool {
		index := n.Index() // index instead of n, which would keep the whole document alive
		part := sync.OnceValue(func() *santhosh.Schema { return s.validator().at(index) })
		return func(value any) bool { return part() != nil && len(s.validator().validate(part(), value)) == 0 }
	}))
}

// scanned returns the checks a scanner uses. fits handles the schemas the
// scanner doesn't know.
func scanned(fits func(n *tree.Node) func(any) bool) scan.Validator {
	return scan.Validator{Fits: fits, Format: formatCheck, Pattern: tree.Regexp, Unique: UniqueKeyword, Text: textBound}
}

// textBound returns the check for a keyword that bounds texts, or nil if the
// schema has no such bound.
func textBound(n *tree.Node, keyword string) func(text string) (within, sure bool) {
	bound, ok := DurationBound(n, keyword)
	if !ok {
		return nil
	}
	return func(text string) (within, sure bool) { return withinDuration(keyword, bound, text) }
}

// formatChecks compiles the check for each known format at most once per
// process.
var formatChecks = sync.OnceValue(func() map[string]func() func(any) error {
	checks := make(map[string]func() func(any) error, len(knownFormats))
	for _, name := range knownFormats {
		checks[name] = sync.OnceValue(func() func(any) error { return compileFormat(name) })
	}
	return checks
})

func formatCheck(name string) func(any) error {
	if check := formatChecks()[name]; check != nil {
		return check()
	}
	return compileFormat(name)
}

// compileFormat returns the check for a format, either this package's own or
// the validator's.
func compileFormat(name string) func(any) error {
	own := ownFormats()
	if i := slices.IndexFunc(own, func(f *santhosh.Format) bool { return f.Name == name }); i >= 0 {
		return own[i].Validate
	}
	v := newValidator(tree.Of(map[string]any{"format": name}))
	if v.root == nil {
		return nil
	}
	return v.root.Validate
}
