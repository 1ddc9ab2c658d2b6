package contract

import (
	"fmt"
	"strconv"

	"github.com/toolcontract/toolcontract/risk"
)

const (
	declaredSecurityLevel declaration[risk.SecurityLevel] = "securityLevel"
	declaredRisk          declaration[risk.Level]         = "risk"
	declaredEffect        declaration[risk.Effect]        = "effect"
)

const (
	ruleSecurityRange   = "security.range"
	ruleRiskUnknown     = "risk.unknown"
	ruleRiskFloor       = "risk.floor"
	ruleEffectUnknown   = "effect.unknown"
	ruleEffectMissing   = "effect.missing"
	ruleForbiddenListed = "forbidden.listed"
)

func securityLevelClause() clause {
	return clause{
		members: []string{"securityLevel"},
		keys:    tagKeys{"securityLevel": parsedValue(declaredSecurityLevel, parseSecurityLevel, "write a number from 0 to 10")},
		base:    func(b *Base, l *layer) { fromBase(l, declaredSecurityLevel, b.SecurityLevel) },
		check:   checkSecurityLevel,
		rules:   []BuildRule{{ID: ruleSecurityRange, Summary: "A security level is 0 to 10."}},
	}
}

// parseSecurityLevel reads a decimal number without sign, blanks or leading
// zeros.
func parseSecurityLevel(text string) (risk.SecurityLevel, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	level := risk.SecurityLevel(n)
	if err != nil || !level.IsValid() || level.String() != text {
		return 0, strconv.ErrSyntax
	}
	return level, nil
}

// SecurityLevel sets a level from 0 to 10. From 1 the tool needs an
// authenticated principal, from 4 declared permissions, and from 8 a
// confirmation or a step-up.
func (b *Builder[In, Out]) SecurityLevel(level risk.SecurityLevel) *Builder[In, Out] {
	declaredSecurityLevel.set(&b.verbs, level)
	return b
}

func checkSecurityLevel(c *checker) {
	c.doc.SecurityLevel = declaredSecurityLevel.of(&c.layer)
	if !c.doc.SecurityLevel.IsValid() {
		c.bad(ruleSecurityRange, "securityLevel", "the level is over 10", "use 0 to 10")
	}
}

// riskClause covers the risk and the effect, because each can follow from the
// other.
func riskClause() clause {
	return clause{
		members: []string{"risk", "effect"},
		keys: tagKeys{
			"risk":   enumValue(declaredRisk),
			"effect": enumValue(declaredEffect),
		},
		base: func(b *Base, l *layer) {
			fromBase(l, declaredRisk, b.Risk)
			fromBase(l, declaredEffect, b.Effect)
		},
		check: checkRisk,
		effective: func(d *Document) {
			if !d.Risk.IsValid() {
				d.Risk = d.Effect.DefaultLevel()
			}
			d.Effect = d.Effect.Effective()
		},
		rules: []BuildRule{
			{ID: ruleRiskUnknown, Summary: "A risk is one of the levels."},
			{ID: ruleRiskFloor, Summary: "A risk is not below the floor of the effect."},
			{ID: ruleEffectUnknown, Summary: "An effect is one of the effects."},
			{ID: ruleEffectMissing, Summary: "A tool below critical declares its effect."},
		},
	}
}

// Risk sets the level. It cannot be below the effect's minimum. Default: the
// level follows from the effect.
func (b *Builder[In, Out]) Risk(level risk.Level) *Builder[In, Out] {
	declaredRisk.set(&b.verbs, level)
	return b
}

// Effect sets the kind of change that the tool makes. A tool with critical risk
// or above may leave it out; it then counts as destructive.
func (b *Builder[In, Out]) Effect(effect risk.Effect) *Builder[In, Out] {
	declaredEffect.set(&b.verbs, effect)
	return b
}

func checkRisk(c *checker) {
	level, hasRisk := declaredRisk.in(&c.layer)
	effect, hasEffect := declaredEffect.in(&c.layer)
	c.doc.Risk, c.doc.Effect = level, effect
	known := true
	if hasRisk && !level.IsValid() {
		c.bad(ruleRiskUnknown, "risk", "the level is unknown", "use a constant of package risk")
		known = false
	}
	if hasEffect && !effect.IsValid() {
		c.bad(ruleEffectUnknown, "effect", "the effect is unknown", "use a constant of package risk")
		known = false
	}
	if !known {
		return
	}
	if !hasEffect {
		if !hasRisk || !level.AtLeast(risk.Critical) {
			c.missing(hasEffect, ruleEffectMissing, "effect", "the tool does not declare what it changes", c.advice(string(declaredEffect),
				"declare an Effect, such as risk.ReadOnly", `write an effect, such as effect:"read-only"`))
			return
		}
		c.doc.Effect = risk.Destructive
	}
	if !hasRisk {
		c.doc.Risk = c.doc.Effect.DefaultLevel()
	} else if floor := c.doc.Effect.Floor(); !level.AtLeast(floor) {
		c.bad(ruleRiskFloor, "risk", fmt.Sprintf("risk %s is below the floor %s of effect %s", level, floor, c.doc.Effect),
			"raise the risk, or leave it out")
	}
}

// forbiddenClause refuses what a forbidden tool cannot have.
func forbiddenClause() clause {
	return clause{
		check: checkForbidden,
		rules: []BuildRule{{ID: ruleForbiddenListed, Summary: "A forbidden tool is never listed: no aliases, no discoverWith."}},
	}
}

func checkForbidden(c *checker) {
	if c.doc.Risk != risk.Forbidden {
		return
	}
	if len(c.doc.Aliases) > 0 {
		c.bad(ruleForbiddenListed, "aliases", "a tool at risk forbidden is never listed or called, but aliases are declared",
			"remove the aliases")
	}
	if len(c.doc.DiscoverWith) > 0 {
		c.bad(ruleForbiddenListed, "discoverWith", "a tool at risk forbidden is never listed, but discoverWith is declared",
			"remove it")
	}
}
