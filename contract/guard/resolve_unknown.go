package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/store"
)

// ResolveUnknown records an operator's finding about a managed call with an
// unknown outcome. The lookup key is in the call's audit events. After
// [store.Happened], repetitions answer already_done. After
// [store.DidNotHappen], the next repetition runs.
//
// The finding is durably in the audit log before it takes effect, under the
// principal of ctx, which must be authenticated. The program that calls
// ResolveUnknown decides which principals may do so. The error wraps
// [store.ErrNotFound] if the record has expired or never was, and
// [store.ErrNotUnknown] if the outcome is known or the call is still running.
func (g *Guard) ResolveUnknown(ctx context.Context, lookupKey string, r store.Settlement) error {
	key, err := store.ParseKey(lookupKey)
	if err != nil {
		return err
	}
	if r != store.Happened && r != store.DidNotHappen {
		return errors.New("guard: ResolveUnknown: the resolution is neither Happened nor DidNotHappen")
	}
	p, err := g.findPrincipal(ctx, logged{})
	if err != nil || p.IsAnonymous() {
		return errors.New("guard: ResolveUnknown: the context has no authenticated principal")
	}
	e := audit.Event{
		Time: time.Now(), Kind: audit.Intent, CallID: rand.Text(), LookupKey: key.String(),
		AuditEvent: "idempotency.resolved: " + r.String(), Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject,
		Agent: !isPerson(p), Decision: audit.Allow, Stage: stageResolveUnknown,
	}
	if err := g.recorder.PutDurable(ctx, e); err != nil {
		return fmt.Errorf("guard: ResolveUnknown: the audit log cannot be written: %w", err)
	}
	start := time.Now()
	err = g.ledger.Resolve(ctx, key, r)
	e.Kind, e.Time, e.Duration, e.Status = audit.Terminal, time.Now(), time.Since(start), contract.StatusOK.String()
	if err != nil {
		e.Status, e.Error = contract.StatusError.String(), err.Error()
	}
	g.recorder.Put(ctx, e)
	return err
}
