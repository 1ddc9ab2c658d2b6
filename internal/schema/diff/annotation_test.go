package diff_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/schema/diff"
)

func TestCompare_ReportsChangedAnnotationsEverywhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now, pointer string }{
		"in an allOf, an annotation that the whole schema has too": {
			`{"type":"object","title":"t","allOf":[{"title":"a"}]}`, `{"type":"object","title":"t","allOf":[{"title":"b"}]}`,
			"/allOf/0/title",
		},
		"in the second part of an allOf": {
			`{"type":"object","allOf":[{"minProperties":1,"title":"a"},{"minProperties":2,"title":"b"}]}`,
			`{"type":"object","allOf":[{"minProperties":1,"title":"a"},{"minProperties":2,"title":"c"}]}`, "/allOf/1/title",
		},
		"in an allOf of an allOf, of a member that the whole has too": {
			`{"type":"object","properties":{"a":{"title":"t"}},"allOf":[{"allOf":[{"properties":{"a":{"description":"a"}}}]}]}`,
			`{"type":"object","properties":{"a":{"title":"t"}},"allOf":[{"allOf":[{"properties":{"a":{"description":"b"}}}]}]}`,
			"/allOf/0/allOf/0/properties/a/description",
		},
		"behind a reference beside which they stand too": {
			`{"type":"object","properties":{"a":{"title":"t","$ref":"#/$defs/d"}},"$defs":{"d":{"title":"a"}}}`,
			`{"type":"object","properties":{"a":{"title":"t","$ref":"#/$defs/d"}},"$defs":{"d":{"title":"b"}}}`, "/properties/a/title",
		},
		"of an alternative": {
			`{"type":"object","properties":{"a":{"maxLength":3,"anyOf":[{"type":"string","title":"a"}]}}}`,
			`{"type":"object","properties":{"a":{"maxLength":3,"anyOf":[{"type":"string","title":"b"}]}}}`, "/properties/a/anyOf/0/title",
		},
		"in a not": {
			`{"type":"object","not":{"required":["a"],"title":"a"}}`, `{"type":"object","not":{"required":["a"],"title":"b"}}`,
			"/not/title",
		},
		"in a contains of which there may be so many": {
			`{"type":"object","properties":{"a":{"contains":{"type":"string","title":"a"},"maxContains":1}}}`,
			`{"type":"object","properties":{"a":{"contains":{"type":"string","title":"b"},"maxContains":1}}}`,
			"/properties/a/contains/title",
		},
		"of content": {
			`{"type":"object","properties":{"a":{"contentMediaType":"application/json","contentSchema":{"title":"a"}}}}`,
			`{"type":"object","properties":{"a":{"contentMediaType":"application/json","contentSchema":{"title":"b"}}}}`,
			"/properties/a/contentSchema/title",
		},
		"beside an incomparable keyword": {
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"unevaluatedProperties":false,"$defs":{"d":{"title":"a"}}}`,
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/d"}},"unevaluatedProperties":false,"$defs":{"d":{"title":"b"}}}`,
			"/properties/a/title",
		},
	} {
		assert.Equal(t, []short{{c.pointer, diff.Text, diff.Reworded}}, shortened(findingsOf(c.old, c.now)), name)
	}
}

func TestCompare_EqualAnnotationsInTwoPlacesCountOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now string }{
		"in a part of an allOf": {`{"type":"object","title":"t"}`, `{"type":"object","allOf":[{"title":"t"}]}`},
		"twice":                 {`{"type":"object","title":"t"}`, `{"type":"object","title":"t","allOf":[{"title":"t"}]}`},
		"a member called default": {`{"type":"object","properties":{"default":{"type":"string"}}}`,
			`{"type":"object","properties":{"default":{"allOf":[{"type":"string"}]}}}`},
	} {
		assert.Empty(t, findingsOf(c.old, c.now), name)
	}
}

// Beside a keyword that can't be compared, a member counts as a property even
// if it is named like an annotation.
func TestCompare_AMemberWithTheNameOfAnAnnotationIsAProperty(t *testing.T) {
	t.Parallel()
	findings := findingsOf(
		`{"type":"object","properties":{"title":{"type":"string"}},"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"title":{"type":"integer"}},"unevaluatedProperties":false}`,
	)
	assert.Equal(t, []short{{"", diff.Other, diff.Unknown}}, shortened(findings))
}

func TestCompare_AProtectionHoldsIfAnyPartHasIt(t *testing.T) {
	t.Parallel()
	guarded := `{"type":"object","properties":{"a":{"x-sensitive":false,"allOf":[{"x-sensitive":true}]}}}`
	open := `{"type":"object","properties":{"a":{"x-sensitive":false,"allOf":[{"x-sensitive":false}]}}}`
	assert.Equal(t, diff.Exposed, findingsOf(guarded, open)[0].Kind)
	assert.Equal(t, diff.Protected, findingsOf(open, guarded)[0].Kind)
}
