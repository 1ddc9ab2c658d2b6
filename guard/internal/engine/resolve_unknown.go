package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/callctx"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/store"
)

// ResolveUnknown records the finding of an operator about a call with an
// unknown outcome.
func (g *Engine) ResolveUnknown(ctx context.Context, lookupKey string, r store.Settlement) error {
	key, err := store.ParseKey(lookupKey)
	if err != nil {
		return err
	}
	if r != store.Happened && r != store.DidNotHappen {
		return errors.New("guard: ResolveUnknown: the resolution is neither Happened nor DidNotHappen")
	}
	p, err := g.gate.Find(ctx, callctx.Values{})
	if err != nil || p.IsAnonymous() {
		return errors.New("guard: ResolveUnknown: the context has no authenticated principal")
	}
	e := audit.Event{
		Time: time.Now(), Kind: audit.Intent, CallID: rand.Text(), LookupKey: key.String(),
		AuditEvent: "idempotency.resolved: " + r.String(), Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject,
		Agent: !facts.IsPerson(p), Decision: audit.Allow, Stage: facts.StageResolveUnknown,
	}
	if err := g.recorder.PutDurable(ctx, e); err != nil {
		return fmt.Errorf("guard: ResolveUnknown: the audit log cannot be written: %w", err)
	}
	start := time.Now()
	err = store.Settle(ctx, g.ledger, key, r)
	e.Kind = audit.Terminal
	e.Time = time.Now()
	e.Duration = time.Since(start)
	e.Status = contract.StatusOK.String()
	if err != nil {
		e.Status = contract.StatusError.String()
		e.Error = err.Error()
	}
	g.recorder.Put(ctx, e)
	return err
}
