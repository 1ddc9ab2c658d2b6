package storetest

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract/store"
)

func checkInvalid(p *probe) {
	for _, put := range []func() store.Claim{p.request, p.unstarted, p.abandoned, p.resolved} {
		c := put()
		before := p.get(c.Key, "before an invalid request")
		for _, call := range p.invalid(c) {
			p.enter(call.name)
			p.wantErr(call.do(p.ctx), store.ErrInvalid, "the request is invalid")
			p.unchanged(c.Key, before, "after "+call.name)
		}
	}
	n := p.nonce()
	c := with(p.request(), n)
	c.Lease = 0
	p.enter("Claim without a lease")
	_, err := p.Store.Claim(p.ctx, c)
	p.wantErr(err, store.ErrInvalid, "the request is invalid")
	p.claim(with(p.request(), n), store.Claimed, "with the nonce of an invalid claim")
}

// invalid returns requests that break one rule each, of a claim that breaks none.
func (p *probe) invalid(c store.Claim) []call {
	var calls []call
	claim := func(what string, change func(c *store.Claim)) {
		wrong := rerun(c)
		change(&wrong)
		calls = append(calls, call{"Claim " + what, func(ctx context.Context) error {
			_, err := p.Store.Claim(ctx, wrong)
			return err
		}})
	}
	claim("without a key", func(c *store.Claim) { c.Key = store.Key{} })
	claim("without an owner", func(c *store.Claim) { c.Owner = store.Owner{} })
	claim("without a lease", func(c *store.Claim) { c.Lease = 0 })
	claim("with a negative lease", func(c *store.Claim) { c.Lease = -lease })
	claim("without a retention", func(c *store.Claim) { c.Retention = 0 })
	claim("with a retention shorter than the lease", func(c *store.Claim) { c.Retention = c.Lease - tick })
	claim("with a nonce without a key", func(c *store.Claim) { c.Nonce.TTL = lease })
	claim("with a nonce without a TTL", func(c *store.Claim) { c.Nonce.Key = p.key() })
	claim("with a nonce with a negative TTL", func(c *store.Claim) {
		c.Nonce = store.Nonce{Key: p.key(), TTL: -lease}
	})
	claim("with a nonce of another partition", func(c *store.Claim) {
		c.Nonce = store.Nonce{Key: p.keyOf("alice", "nonce"), TTL: lease}
	})
	claim("with a budget without a key", func(c *store.Claim) { c.Budget.Limit = 1 })
	claim("with a budget without a limit", func(c *store.Claim) { c.Budget.Key = p.key() })
	claim("with a budget with a negative limit", func(c *store.Claim) {
		c.Budget = store.Budget{Key: p.key(), Limit: -1}
	})
	claim("with a budget of another partition", func(c *store.Claim) {
		c.Budget = store.Budget{Key: p.keyOf("alice", "counts"), Limit: 1}
	})
	complete := func(what string, change func(c *store.Completion)) {
		wrong := outcome(c, store.Completed, theResult)
		change(&wrong)
		calls = append(calls, call{"Complete " + what, func(ctx context.Context) error {
			return p.Store.Complete(ctx, wrong)
		}})
	}
	complete("without a key", func(c *store.Completion) { c.Key = store.Key{} })
	complete("without an owner", func(c *store.Completion) { c.Owner = store.Owner{} })
	complete("without a state", func(c *store.Completion) { c.State = store.UndeclaredState })
	complete("with InProgress", func(c *store.Completion) { c.State = store.InProgress })
	complete("with a state that is none", func(c *store.Completion) { c.State = 42 })
	complete("with Unknown and a result", func(c *store.Completion) { c.State = store.Unknown })
	complete("with Unknown and an empty result", func(c *store.Completion) {
		c.State, c.Result = store.Unknown, []byte{}
	})
	complete("with counts of another partition to forget", func(c *store.Completion) {
		c.Forget = p.keyOf("alice", "counts")
	})
	return append(calls, p.invalidChanges(c.Key, c.Owner)...)
}

func (p *probe) invalidChanges(key store.Key, owner store.Owner) []call {
	var (
		none   store.Key
		nobody store.Owner
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
			return p.Store.Resolve(ctx, none, store.Happened)
		}},
		{"Resolve without a resolution", func(ctx context.Context) error {
			return p.Store.Resolve(ctx, key, store.UndeclaredFinding)
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
func (p *probe) silent(err error, c store.Claim) {
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
