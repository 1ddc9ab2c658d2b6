package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// admit makes the checks that do not read the arguments. Permissions come
// first, so that callers without permission learn nothing about a tool. Then it
// counts the call against the rate limits, so that a flood of invalid calls
// ends here. Then it checks the form of the call and its size.
func admit(who identified, state *consent.State) (identified, *answer.Answer) {
	t := who.tool
	d := &t.Doc
	who.missing = who.principal.Missing(d.Permissions)
	sees := isShown(d, t.AuditOnly, *who.principal)
	if t.Resolves && len(d.DiscoverWith) > 0 && !sees {
		who.missing = who.principal.Missing(d.DiscoverWith) // a caller with these may have a call that needs no others
	}
	// Authorize decides about a caller that sees the tool: its arguments may
	// need fewer permissions, and a dry run names the missing ones.
	if later := (t.HasPreview || t.Resolves) && sees; !later {
		if who.missing = enforced(who); len(who.missing) > 0 {
			return who, lacks(who.missing)
		}
	}
	var refused *answer.Refusal
	if who.charged, refused = charge(who, state); refused != nil {
		return who, answer.Refuse(refused)
	}
	if who.req.Task {
		return who, answer.Refuse(answer.NewRefusal(contract.CodeInvalidInput, "the tool does not run as a task; call it without one"))
	}
	limit := d.MaxArgumentBytes
	if limit == 0 {
		limit = bound.DefaultArgumentBytes
	}
	if int64(len(who.req.Arguments)) > limit {
		return who, answer.Refuse(answer.Violated(contract.Violation{Rule: "size", Message: fmt.Sprintf("must be at most %d bytes",
			limit)}))
	}
	return who, nil
}

// enforced returns the missing permissions, or none if they are only audited.
func enforced(who identified) []string {
	if len(who.missing) > 0 && who.waives(facts.ClausePermissions) {
		who.log.Blame(errors.New("not enforced: missing permissions: " + strings.Join(who.missing, ", ")))
		return nil
	}
	return who.missing
}

func lacks(missing []string) *answer.Answer {
	r := answer.NewRefusal(contract.CodePermissionDenied, "missing permissions: "+strings.Join(missing, ", "))
	r.MissingPermissions = slices.Clone(missing)
	return answer.Refuse(r)
}
