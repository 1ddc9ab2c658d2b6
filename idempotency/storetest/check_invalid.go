package storetest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/idempotency"
)

func checkInvalid(p *probe) {
	for _, put := range []func() idempotency.Claim{p.request, p.unstarted, p.abandoned, p.resolved} {
		c := put()
		before := p.get(c.Key, "before an invalid request")
		for _, call := range p.invalid(c) {
			p.enter(call.name)
			p.wantErr(call.do(p.ctx), idempotency.ErrInvalid, "the request is invalid")
			p.unchanged(c.Key, before, "after "+call.name)
		}
	}
	n := p.nonce()
	c := with(p.request(), n)
	c.Lease = 0
	p.enter("Claim without a lease")
	_, err := p.Store.Claim(p.ctx, c)
	p.wantErr(err, idempotency.ErrInvalid, "the request is invalid")
	p.claim(with(p.request(), n), idempotency.Claimed, "with the nonce of an invalid claim")
}

// invalid returns requests that break one rule each, of a claim that breaks none.
func (p *probe) invalid(c idempotency.Claim) []call {
	var calls []call
	claim := func(what string, change func(c *idempotency.Claim)) {
		wrong := rerun(c)
		change(&wrong)
		calls = append(calls, call{"Claim " + what, func(ctx context.Context) error {
			_, err := p.Store.Claim(ctx, wrong)
			return err
		}})
	}
	claim("without a key", func(c *idempotency.Claim) { c.Key = idempotency.Key{} })
	claim("without an owner", func(c *idempotency.Claim) { c.Owner = idempotency.Owner{} })
	claim("without a lease", func(c *idempotency.Claim) { c.Lease = 0 })
	claim("with a negative lease", func(c *idempotency.Claim) { c.Lease = -lease })
	claim("without a retention", func(c *idempotency.Claim) { c.Retention = 0 })
	claim("with a retention shorter than the lease", func(c *idempotency.Claim) { c.Retention = c.Lease - tick })
	claim("with a nonce without a key", func(c *idempotency.Claim) { c.Nonce.TTL = lease })
	claim("with a nonce without a TTL", func(c *idempotency.Claim) { c.Nonce.Key = p.key() })
	claim("with a nonce with a negative TTL", func(c *idempotency.Claim) {
		c.Nonce = idempotency.Nonce{Key: p.key(), TTL: -lease}
	})
	claim("with a nonce of another partition", func(c *idempotency.Claim) {
		c.Nonce = idempotency.Nonce{Key: p.keyOf("alice", "nonce"), TTL: lease}
	})
	claim("with a budget without a key", func(c *idempotency.Claim) { c.Budget.Limit = 1 })
	claim("with a budget without a limit", func(c *idempotency.Claim) { c.Budget.Key = p.key() })
	claim("with a budget with a negative limit", func(c *idempotency.Claim) {
		c.Budget = idempotency.Budget{Key: p.key(), Limit: -1}
	})
	claim("with a budget of another partition", func(c *idempotency.Claim) {
		c.Budget = idempotency.Budget{Key: p.keyOf("alice", "counts"), Limit: 1}
	})
	complete := func(what string, change func(c *idempotency.Completion)) {
		wrong := outcome(c, idempotency.Completed, theResult)
		change(&wrong)
		calls = append(calls, call{"Complete " + what, func(ctx context.Context) error {
			return p.Store.Complete(ctx, wrong)
		}})
	}
	complete("without a key", func(c *idempotency.Completion) { c.Key = idempotency.Key{} })
	complete("without an owner", func(c *idempotency.Completion) { c.Owner = idempotency.Owner{} })
	complete("without a state", func(c *idempotency.Completion) { c.State = idempotency.UndeclaredState })
	complete("with InProgress", func(c *idempotency.Completion) { c.State = idempotency.InProgress })
	complete("with a state that is none", func(c *idempotency.Completion) { c.State = 42 })
	complete("with Unknown and a result", func(c *idempotency.Completion) { c.State = idempotency.Unknown })
	complete("with Unknown and an empty result", func(c *idempotency.Completion) {
		c.State, c.Result = idempotency.Unknown, []byte{}
	})
	complete("with counts of another partition to forget", func(c *idempotency.Completion) {
		c.Forget = p.keyOf("alice", "counts")
	})
	return append(calls, p.invalidChanges(c.Key, c.Owner)...)
}

func (p *probe) invalidChanges(key idempotency.Key, owner idempotency.Owner) []call {
	var (
		none   idempotency.Key
		nobody idempotency.Owner
	)
	return []call{
		{"Mark without a key", func(ctx context.Context) error { return p.Store.Mark(ctx, none, owner) }},
		{"Mark without an owner", func(ctx context.Context) error { return p.Store.Mark(ctx, key, nobody) }},
		{"Renew without a key", func(ctx context.Context) error { return p.Store.Renew(ctx, none, owner, lease) }},
		{"Renew without an owner", func(ctx context.Context) error { return p.Store.Renew(ctx, key, nobody, lease) }},
		{"Renew without a lease", func(ctx context.Context) error { return p.Store.Renew(ctx, key, owner, 0) }},
		{"Renew with a negative lease", func(ctx context.Context) error { return p.Store.Renew(ctx, key, owner, -lease) }},
		{"Release without a key", func(ctx context.Context) error { return p.Store.Release(ctx, none, owner) }},
		{"Release without an owner", func(ctx context.Context) error { return p.Store.Release(ctx, key, nobody) }},
		{"Get without a key", func(ctx context.Context) error { _, err := p.Store.Get(ctx, none); return err }},
		{"Resolve without a key", func(ctx context.Context) error {
			return p.Store.Resolve(ctx, none, idempotency.Happened)
		}},
		{"Resolve without a resolution", func(ctx context.Context) error {
			return p.Store.Resolve(ctx, key, idempotency.UndeclaredResolution)
		}},
		{"Resolve with a resolution that is none", func(ctx context.Context) error { return p.Store.Resolve(ctx, key, 42) }},
	}
}

func checkErrors(p *probe) {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	for _, s := range situations() {
		c := s.put(p)
		for _, attempt := range []struct {
			ctx   context.Context
			calls []call
		}{
			{p.ctx, p.invalid(c)},
			{ctx, p.calls(c)},
			{p.ctx, p.calls(rival(c))},
		} {
			for _, call := range attempt.calls {
				p.enter(call.name)
				p.silent(call.do(attempt.ctx), c)
			}
		}
	}
}

// silent wants that an error says nothing about a claim.
func (p *probe) silent(err error, c idempotency.Claim) {
	if err == nil {
		return
	}
	text := strings.ToLower(err.Error())
	for _, part := range []struct {
		name  string
		bytes []byte
	}{
		{"the key", c.Key.ID[:]},
		{"the key", c.Key.Partition[:]},
		{"the owner", c.Owner[:]},
		{"the fingerprint", c.Fingerprint[:]},
		{"the result", theResult},
	} {
		for _, form := range []string{
			hex.EncodeToString(part.bytes),
			base64.RawStdEncoding.EncodeToString(part.bytes),
			base64.RawURLEncoding.EncodeToString(part.bytes),
			fmt.Sprintf("%d", part.bytes),
			fmt.Sprintf("%q", part.bytes),
			string(part.bytes),
		} {
			if strings.Contains(text, strings.ToLower(strings.Trim(form, `[]"`))) {
				p.fail("%s: the error carries %s", p.operation(), part.name)
			}
		}
	}
}
