package contract

import (
	"encoding/json"
	"reflect"

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

const declaredUncheckedPatterns declaration[bool] = "uncheckedPatterns"

const ruleUncheckedRisk = "uncheckedPatterns.risk"

func uncheckedPatternsClause() clause {
	return clause{
		base:  func(b *Base, l *layer) { fromBase(l, declaredUncheckedPatterns, b.UncheckedPatterns) },
		rules: []Rule{{ID: ruleUncheckedRisk, Summary: "A tool from high risk up checks every pattern of its schemas."}},
	}
}

// UncheckedPatterns accepts patterns that RE2 cannot check, such as those with
// look-ahead or back-references, in the schemas of InputSchema and
// OutputSchema. They are then not checked: the published schema has them as
// "x-uncheckedPattern", and contracttest reports them. Without this verb Build
// refuses them.
//
// Build still refuses such a pattern as a name in patternProperties, and below
// not, if, oneOf, contains and unevaluated keywords. An unchecked pattern there
// would change which other values are accepted. It refuses an unchecked pattern
// in a tool from high risk up.
func (b *Builder[In, Out]) UncheckedPatterns() *Builder[In, Out] {
	declaredUncheckedPatterns.set(&b.verbs, true)
	return b
}

// modern returns the published form of a schema that the tool author wrote: in
// draft 2020-12, and without patterns that are not checked. It returns nil if
// the tool author wrote none.
func (c *checker) modern(clause string, t reflect.Type, raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return nil
	}
	newest, _, problems := schema.Modern(raw, compileOptions(t, schema.Input).Lenient)
	c.problems(clause, problems)
	if !declaredUncheckedPatterns.of(&c.layer) {
		return newest
	}
	unchecked, patterns := schema.Uncheck(newest)
	if patterns > 0 && c.doc.Risk.AtLeast(risk.High) {
		c.bad(ruleUncheckedRisk, clause, "a pattern of a tool from high risk up is not checked",
			"write the pattern in RE2, or check it in the handler and remove it from the schema")
	}
	return unchecked
}

// uncheckable adds to the remedy of a pattern that is not RE2.
func uncheckable(p schema.Problem) schema.Problem {
	if p.Rule == schema.RulePattern {
		p.Remedy += "; below high risk, UncheckedPatterns accepts it unchecked where that cannot refuse other values"
	}
	return p
}
