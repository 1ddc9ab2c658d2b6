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

// OpenQuestion returns the question of a token.
func (g *Engine) OpenQuestion(ctx context.Context, token string, by contract.Principal) (people.PendingQuestion, error) {
	return g.people.OpenQuestion(ctx, token, g.mayDecide(ctx, by))
}

// Decide records the answer of a person to a question. typed is the word that
// the person typed to approve it.
func (g *Engine) Decide(ctx context.Context, token string, approve bool, typed string, by contract.Principal) error {
	return g.people.Decide(ctx, token, approve, typed, by, g.mayDecide(ctx, by))
}

// OpenStepUp returns the request of an id.
func (g *Engine) OpenStepUp(ctx context.Context, id string, by contract.Principal) (people.StepUpRequest, error) {
	return g.people.OpenStepUp(ctx, id, by)
}

// CompleteStepUp records that a person has authenticated for the call of an id.
func (g *Engine) CompleteStepUp(ctx context.Context, id string, by contract.Principal) error {
	return g.people.CompleteStepUp(ctx, id, by)
}

// DeclineStepUp records that the call of an id is not that of its principal,
// and writes a line for the people who run the server.
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
