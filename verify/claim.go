package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A claim collects what was observed about one rule.
type claim struct {
	rule           string
	contradictions []contradiction
	shown          int      // how many observations agree with the rule
	unknown        []string // why the rule may be broken without anyone noticing
}

// A contradiction is an observation that contradicts a claim.
type contradiction struct{ inCase, observed string }

func (c *claim) contradict(inCase, format string, args ...any) {
	observed := fmt.Sprintf(format, args...)
	if !slices.ContainsFunc(c.contradictions, func(a contradiction) bool { return a.observed == observed }) {
		c.contradictions = append(c.contradictions, contradiction{inCase, observed})
	}
}

func (c *claim) doubt(format string, args ...any) {
	if reason := fmt.Sprintf(format, args...); !slices.Contains(c.unknown, reason) {
		c.unknown = append(c.unknown, reason)
	}
}

// conclude adds a claim's judgements to the report: one for each contradiction,
// or a single one if there is none.
func (v *verifier) conclude(c *claim) {
	rule := claimNamed(c.rule)
	base := Judgement{Rule: c.rule, Clause: v.words(c.rule), Remedy: rule.Remedy}
	switch {
	case len(c.contradictions) > 0:
		for _, a := range c.contradictions {
			j := base
			j.Conclusion = Contradicted
			j.Case = a.inCase
			j.Observed = a.observed
			v.judgements = append(v.judgements, j)
		}
	case c.shown > 0 && len(c.unknown) == 0:
		base.Conclusion, base.Remedy = Consistent, ""
		v.judgements = append(v.judgements, base)
	default:
		base.Conclusion = Unknown
		base.Observed = cmp.Or(strings.Join(c.unknown, "; "), "no call showed it")
		if !isShowing(c.rule) {
			base.Remedy = ""
		}
		v.judgements = append(v.judgements, base)
	}
}

// A claimOf is one claim of a contract, with the function that judges it.
type claimOf struct {
	rule  string
	holds bool // the contract makes the claim
	judge func(*claim)
}

// claims returns the claims of a contract, in the order of [Claims].
func (v *verifier) claims() []claimOf {
	mode := v.idempotency()
	return []claimOf{
		{ruleNotReached, true, v.judgeReached},
		{ruleNeverSucceeded, len(v.reached()) > 0, v.judgeSucceeded},
		{rulePanic, true, v.judgePanics},
		{ruleReadOnlyEffect, v.isReadOnly(), v.judgeReadOnly},
		{ruleReachExternal, v.isInternal(), v.judgeReach},
		{ruleSecondEffect, mode == idempotency.Native, v.judgeSecondEffect},
		{ruleSecondAnswer, mode == idempotency.Native, v.judgeSecondAnswer},
		{ruleRanTwice, mode.Deduplicates(), v.judgeRanTwice},
		{ruleDryRunEffect, v.hasDryRun(), v.judgeDryRun},
		{rulePreviewDiffers, v.hasDryRun(), v.judgePreview},
		{ruleFailureUndeclared, true, v.judgeErrors},
		{ruleFailureEffect, !v.isDeclaredReadOnly() && slices.ContainsFunc(v.doc.FailureModes, isHarmless), v.judgeFailedEffects},
		{ruleOutputInvalid, true, v.judgeOutput},
		{ruleOutputSize, true, v.judgeSize},
		{ruleControlCharacters, v.isTrusted(), v.judgeCharacters},
		{ruleLeak, v.hasProtected(), v.judgeLeaks},
		{ruleInvalidReached, true, v.judgeInvalid},
		{ruleResolveHigher, observe.FactsOf(v.tool).Resolves, v.judgeResolve},
		{ruleResolveLower, observe.FactsOf(v.tool).Resolves, v.judgeLeast},
		{ruleDeadlineIgnored, v.ends(), v.judgeDeadline},
	}
}

func (v *verifier) judge(claims []claimOf) {
	for _, one := range claims {
		if one.holds {
			c := &claim{rule: one.rule}
			one.judge(c)
			v.conclude(c)
		}
	}
}

func (v *verifier) isDeclaredReadOnly() bool { return v.doc.Effect == risk.ReadOnly }

func (v *verifier) isReadOnly() bool {
	return v.isDeclaredReadOnly() || slices.ContainsFunc(v.attempts, (*attempt).isReadOnly)
}

func (v *verifier) hasDryRun() bool {
	return v.doc.DryRun == dryrun.Supported || v.doc.DryRun == dryrun.Required
}

// isInternal reports whether the contract says that a call stays on the
// machine: all its side effects are internal, or it is closed-world.
func (v *verifier) isInternal() bool {
	return !v.doc.Hints().OpenWorld || len(v.doc.SideEffects) > 0 &&
		!slices.ContainsFunc(v.doc.SideEffects, func(s contract.SideEffect) bool { return s.Reach.Effective() != contract.Internal })
}

func (v *verifier) isTrusted() bool {
	return v.doc.ContentTrust == trust.Trusted || v.doc.ContentTrust == trust.Sensitive
}

func (v *verifier) hasProtected() bool {
	return v.annotates(secretKeyword) || v.annotates(sensitiveKeyword)
}

// The keywords this library adds to input schemas.
const (
	secretKeyword    = "x-secret"
	sensitiveKeyword = "x-sensitive"
	uncheckedKeyword = "x-uncheckedPattern"
)

// annotates reports whether the input schema has one of this library's
// keywords, which nothing else writes.
func (v *verifier) annotates(keyword string) bool {
	return strings.Contains(string(v.doc.InputSchema), `"`+keyword+`"`)
}

// ends reports whether the contract declares that the handler returns when its
// context ends.
func (v *verifier) ends() bool {
	return v.doc.Timeout > 0 || v.doc.Cancellable || v.isDeclaredReadOnly()
}

// isHarmless reports whether a failure is the tool's own and declared to have
// no effect.
func isHarmless(m contract.FailureMode) bool { return m.By == contract.ByTool && !m.EffectPossible }

// reached returns the cases that ran the handler.
func (v *verifier) reached() []*attempt {
	return slices.DeleteFunc(slices.Clone(v.attempts), func(c *attempt) bool { return len(c.first.runs) == 0 })
}

// isShowing reports whether a rule only demands that something is shown at all.
func isShowing(rule string) bool { return rule == ruleNotReached || rule == ruleNeverSucceeded }

// maxShown caps the effects of one call that a message names.
const maxShown = 3

// maxLine caps foreign text in a message, in bytes.
const maxLine = 300

// oneLine squeezes foreign text into one line for a message.
func oneLine(text string) string {
	clean, _ := trust.Sanitize(text)
	clean = strings.Join(strings.Fields(clean), " ")
	if len(clean) > maxLine {
		return strings.ToValidUTF8(clean[:maxLine], "") + "…"
	}
	return clean
}

// words returns a clause as the tool's author wrote it.
func (v *verifier) words(rule string) string {
	d := v.doc
	say := func(key, tag, verb string) string {
		if slices.Contains(observe.FactsOf(v.tool).Tagged, key) {
			return tag
		}
		return verb
	}
	switch rule {
	case ruleReadOnlyEffect:
		if !v.isDeclaredReadOnly() {
			return "Resolve(Effect: risk.ReadOnly)"
		}
		return say("effect", `effect:"read-only"`, "Effect(risk.ReadOnly)")
	case ruleReachExternal:
		if len(d.SideEffects) > 0 {
			return say("sideEffects", `reach:"internal"`, "SideEffects(Reach: contract.Internal)")
		}
		return v.trustWords(say)
	case ruleSecondEffect, ruleSecondAnswer, ruleRanTwice:
		mode := v.idempotency().String()
		return say("idempotency", "idempotency:"+strconv.Quote(mode), "Idempotency(Mode: idempotency."+capital(mode)+")")
	case ruleDryRunEffect, rulePreviewDiffers:
		return say("dryRun", "dryRun:"+strconv.Quote(d.DryRun.String()), "DryRun")
	case ruleFailureUndeclared, ruleFailureEffect, ruleFailureNeverSeen:
		return say("failures", "contract.FailureTag", "Failures")
	case ruleOutputInvalid:
		return "outputSchema"
	case ruleOutputSize:
		return say("maxResultBytes", fmt.Sprintf("maxResultBytes:\"%d\"", v.maxResultBytes()),
			fmt.Sprintf("MaxResultBytes(%d)", v.maxResultBytes()))
	case ruleControlCharacters:
		return v.trustWords(say)
	case ruleLeak:
		return `contract:"secret" or contract:"sensitive"`
	case ruleInvalidReached:
		return "inputSchema"
	case ruleResolveHigher, ruleResolveLower:
		return "Resolve"
	case ruleReconcileUntrue, ruleReconcileEffect, ruleReconcileNoAnswer:
		return "Reconcile"
	case ruleDeadlineIgnored:
		switch {
		case d.Timeout > 0:
			return say("timeout", fmt.Sprintf("timeout:%q", d.Timeout), fmt.Sprintf("Timeout(%v)", d.Timeout))
		case d.Cancellable:
			return say("cancellable", `cancellable:"true"`, "Cancellable")
		}
		return say("effect", `effect:"read-only"`, "Effect(risk.ReadOnly)")
	}
	return ""
}

func (v *verifier) trustWords(say func(key, tag, verb string) string) string {
	name := "Trusted"
	if v.doc.ContentTrust == trust.Sensitive {
		name = "Sensitive"
	}
	return say("trust", fmt.Sprintf("trust:%q", v.doc.ContentTrust), "Trust(trust."+name+")")
}

func (v *verifier) maxResultBytes() int64 {
	return v.doc.Effective().MaxResultBytes
}

func capital(word string) string {
	if word == "" {
		return ""
	}
	return string(word[0]-'a'+'A') + word[1:]
}
