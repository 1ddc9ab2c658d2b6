package verify

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/trust"
)

// words returns a clause in the words of the tool author.
func (v *verifier) words(rule string) string {
	d := v.doc
	say := func(key, tag, verb string) string {
		if slices.Contains(v.half().Facts().Tagged, key) {
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
	case ruleResolveHigher:
		return "Resolve"
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
