package oldschema

import (
	"maps"
	"slices"

	"github.com/invopop/jsonschema"
)

// The annotations that say how the value of a field is protected. Validation passes them over; a schema that is derived
// has them with the value true, from what [Options].Protect returns and from nowhere else.
const (
	SensitiveKeyword = "x-sensitive"
	SecretKeyword    = "x-secret"
	ReviewKeyword    = "x-review"
)

// ProtectionKeywords returns the annotations that say how the value of a field is protected, in a slice that belongs to
// the caller.
func ProtectionKeywords() []string { return []string{SensitiveKeyword, SecretKeyword, ReviewKeyword} }

func isProtection(keyword string) bool { return slices.Contains(ProtectionKeywords(), keyword) }

// protected returns the schema of a field with what protects it, in a copy: another field may have the same one.
func (d *deriver) protected(f field, s *jsonschema.Schema) *jsonschema.Schema {
	if d.protect == nil {
		return s
	}
	keywords := d.protect(f.Struct)
	if len(keywords) == 0 {
		return s
	}
	out := *s
	out.Extras = maps.Clone(s.Extras)
	if out.Extras == nil {
		out.Extras = map[string]any{}
	}
	for _, keyword := range keywords {
		out.Extras[keyword] = true
	}
	return &out
}
