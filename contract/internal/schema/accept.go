package schema

import (
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolcontract/toolcontract/contract/internal/defaults"
	"github.com/toolcontract/toolcontract/contract/internal/scan"
	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
)

// Accept returns the canonical form of a JSON text, with the defaults of an
// Input, if the text surely fits the schema. It is much faster than parsing,
// Fill and Validate, which decide about every other text and word its
// violations.
func (s *Schema) Accept(text []byte) (canonical []byte, ok bool) { return s.scanner.Canonical(text) }

// newScanner returns the scanner of a compiled schema, or nil if it can have
// none.
func newScanner(s *Schema, compiler *jsonschema.Compiler, direction Direction) *scan.Scanner {
	var fill defaults.Plan
	if direction != Output {
		fill = s.defaults.Plan()
	}
	return scan.New(s.document.Root, fill, scan.Validator{
		Fits: func(n *schemadoc.Node) func(any) bool {
			validator, err := compileAt(compiler, n)
			if err != nil {
				return nil
			}
			return func(value any) bool { return len(s.validate(validator, value)) == 0 }
		},
		Format:  formatCheck,
		Pattern: compileRegexp,
		Unique:  UniqueKeyword,
	})
}

// formatCheck returns the check of a format: of this package, or of the
// validator.
func formatCheck(name string) func(any) error {
	for _, own := range ownFormats() {
		if own.Name == name {
			return own.Validate
		}
	}
	compiler := newCompiler()
	if compiler.AddResource(documentURL, map[string]any{"format": name}) != nil {
		return nil
	}
	validator, err := compiler.Compile(documentURL)
	if err != nil {
		return nil
	}
	return validator.Validate
}
