package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// An Arrival is a call before its arguments are read.
type Arrival struct {
	facts.View

	State *consent.QuestionState // nil: the call answers no question
	Size  int                    // of the arguments, in bytes
	Task  bool                   // the caller requested a task
}

// Admit makes the checks that do not read the arguments. Permissions come
// first, so that callers without permission learn nothing about a tool. Then it
// counts the call against the rate limits, so that a flood of invalid calls
// ends here, and reports in charged whether it did. Finally it checks the form
// and size of the call.
func (g *Gate) Admit(ctx context.Context, a *Arrival) (missing []string, charged bool, refused *answer.Refusal) {
	if missing, refused = Permit(a); refused != nil {
		return missing, false, refused
	}
	if charged, refused = g.charge(ctx, a); refused != nil {
		return missing, charged, refused
	}
	if a.Task {
		return missing, charged, answer.NewRefusal(contract.CodeInvalidInput, "the tool does not run as a task; call it without one")
	}
	limit := a.Tool.Doc.MaxArgumentBytes
	if limit == 0 {
		limit = bound.DefaultArgumentBytes
	}
	if int64(a.Size) > limit {
		refused = answer.Violated(contract.Violation{Rule: "size", Message: fmt.Sprintf("must be at most %d bytes", limit)})
	}
	return missing, charged, refused
}

// Permit checks the permissions of the caller, as far as they do not depend on
// the arguments.
func Permit(a *Arrival) (missing []string, refused *answer.Refusal) {
	t := a.Tool
	d := &t.Doc
	missing = a.Principal.Missing(d.Permissions)
	sees := t.Audience.Includes(a.Principal)
	if t.Resolves && len(d.DiscoverWith) > 0 && !sees {
		missing = a.Principal.Missing(d.DiscoverWith) // a caller with these may have a call that needs no others
	}
	// Authorize decides about a caller that sees the tool: its arguments may
	// need fewer permissions, and a dry run names the missing ones.
	if later := (t.HasPreview || t.Resolves) && sees; !later {
		if missing = Enforced(missing, a.Journal); len(missing) > 0 {
			return missing, refuseMissing(missing)
		}
	}
	return missing, nil
}

// Enforced returns the missing permissions, or none if they are only audited.
func Enforced(missing []string, j *recorder.Journal) []string {
	if len(missing) > 0 && j.Waives(facts.ClausePermissions) {
		j.Blame(errors.New("not enforced: missing permissions: " + strings.Join(missing, ", ")))
		return nil
	}
	return missing
}

func refuseMissing(missing []string) *answer.Refusal {
	r := answer.NewRefusal(contract.CodePermissionDenied, "missing permissions: "+strings.Join(missing, ", "))
	r.MissingPermissions = slices.Clone(missing)
	return r
}
