package guard

import (
	"context"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxClientKey is the longest key that a client may send, in bytes.
const maxClientKey = 255

func isManaged(e *entry) bool {
	return e.doc.Idempotency != nil && e.doc.Idempotency.Mode == idempotency.Managed
}

// takesClientKey reports whether the contract lets the client send the key.
func takesClientKey(e *entry) bool { return isManaged(e) && e.doc.Idempotency.ClientKey }

// identify finds the key of a managed call, once its arguments are known: the
// declared key fields, else the client's key where the contract takes one, else
// all arguments. A dry run has none: it is no call of the key's.
func (c *call) identify() *Result {
	if !isManaged(c.entry) || c.args.DryRun {
		return nil
	}
	key := "arguments\x00" + string(c.args.Canonical)
	switch fields := c.entry.doc.Idempotency.KeyFields; {
	case len(fields) > 0:
		chosen, err := strictjson.Marshal(membersOf(c.args.Tree, fields))
		if err != nil { // the arguments as a whole could be written
			c.cause = err
			return c.refuse(contract.CodeInternalError, "")
		}
		key = "fields\x00" + string(chosen)
	case takesClientKey(c.entry) && c.req.IdempotencyKey != nil:
		if !isClientKey(*c.req.IdempotencyKey) {
			return c.violated(contract.Violation{Rule: "idempotencyKey", Message: "the idempotency key must be a string of 1 to 255 printable ASCII characters"})
		}
		key = "client\x00" + *c.req.IdempotencyKey
	}
	c.key = c.scope().Key(key)
	c.fingerprint = store.Fingerprint(c.args.Canonical)
	return nil
}

// scope is where the keys of this call mean something.
func (c *call) scope() store.Scope {
	p := c.principal
	return store.Scope{
		Namespace: c.set.guard.ledger.namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Tool: c.entry.doc.Name,
	}
}

// membersOf picks members of an object; one that is absent stays so.
func membersOf(tree any, names []string) map[string]any {
	all, _ := tree.(map[string]any)
	chosen := make(map[string]any, len(names))
	for _, name := range names {
		if value, ok := all[name]; ok {
			chosen[name] = value
		}
	}
	return chosen
}

func isClientKey(key string) bool {
	if len(key) == 0 || len(key) > maxClientKey {
		return false
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return false
		}
	}
	return true
}

type keyContext struct{}

// IdempotencyKey returns a key for a handler to pass to a system that
// deduplicates by keys, such as a payment provider: 64 hexadecimal characters
// that are the same for every execution of the same managed call, also on
// another replica and after a crash. It is made of digests and tells nothing of
// the principal or the arguments. The second result is false where the tool is
// not managed.
//
// The key does not change when the record of the call has expired: a system
// that remembers keys for longer than the contract's retention still takes the
// next execution for a repetition.
func IdempotencyKey(ctx context.Context) (string, bool) {
	key, ok := ctx.Value(keyContext{}).(string)
	return key, ok
}
