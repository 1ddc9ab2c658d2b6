package engine

import (
	"context"
	"log/slog"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/contain"
)

// OpenQuestion returns the question that a token names.
func (g *Engine) OpenQuestion(ctx context.Context, token string, by contract.Principal) (people.PendingQuestion, error) {
	return g.people.OpenQuestion(ctx, token, g.mayDecide(ctx, by))
}

// Decide records a person's answer to a question. To approve it, the person may
// have typed a word.
func (g *Engine) Decide(ctx context.Context, token string, approve bool, typed string, by contract.Principal) error {
	return g.people.Decide(ctx, token, approve, typed, by, g.mayDecide(ctx, by))
}

// OpenStepUp returns the request that an id names.
func (g *Engine) OpenStepUp(ctx context.Context, id string, by contract.Principal) (people.StepUpRequest, error) {
	return g.people.OpenStepUp(ctx, id, by)
}

// CompleteStepUp records that a person has authenticated for the call of an id.
func (g *Engine) CompleteStepUp(ctx context.Context, id string, by contract.Principal) error {
	return g.people.CompleteStepUp(ctx, id, by)
}

// DeclineStepUp records that the principal did not make the call of an id, and
// writes a line for the people who run the server.
func (g *Engine) DeclineStepUp(ctx context.Context, id string, by contract.Principal) error {
	call, err := g.people.DeclineStepUp(ctx, id, by)
	if err == nil {
		g.lines.Logger().WarnContext(ctx, "a person reported that a call on their behalf was not theirs",
			slog.String("tool", call.Tool), slog.String("callId", call.CallID))
	}
	return err
}

// mayDecide returns the function that decides whether a principal may see and
// decide a question.
func (g *Engine) mayDecide(ctx context.Context, by contract.Principal) consent.Permission {
	decides := g.config.People.Decides
	return func(q people.PendingQuestion) bool {
		if !facts.IsPerson(by) || by.Tenant != q.Principal.Tenant {
			return false
		}
		if decides == nil {
			return true
		}
		_, err := contain.Author(ctx, g.authors, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, decides(ctx, by, q)
		})
		return err == nil
	}
}
