package adapter

import (
	"maps"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/trust"
)

// The prefixes of _meta keys that a handler cannot set.
const (
	ownKeys      = "io.github.toolcontract/"  // this library's
	protocolKeys = "io.modelcontextprotocol/" // the protocol's, such as the server's name
)

// resultMeta returns a result's _meta: the handler's, with the outcome. A
// handler cannot set keys of the protocol or of this library. It can set
// challenges only if its tool returns trusted content: a host sends people to
// the address in a challenge, and untrusted content may contain an attacker's
// challenge.
func resultMeta(r *exchange.Result) map[string]any {
	meta := make(map[string]any, len(r.Meta)+1)
	for key, value := range r.Meta {
		if !strings.HasPrefix(key, ownKeys) && !strings.HasPrefix(key, protocolKeys) && (key != metaKeyChallenges ||
			r.Outcome.ContentTrust == trust.Trusted) {
			meta[key] = value
		}
	}
	meta[contract.MetaKeyOutcome] = r.Outcome
	return meta
}

// withoutProtocolKeys returns a content item without the protocol's keys in its
// _meta. It does not change the handler's maps.
func withoutProtocolKeys(item contract.Content) contract.Content {
	switch c := item.(type) {
	case contract.TextContent:
		c.Meta = itemMeta(c.Meta)
		return c
	case contract.ImageContent:
		c.Meta = itemMeta(c.Meta)
		return c
	case contract.AudioContent:
		c.Meta = itemMeta(c.Meta)
		return c
	case contract.LinkContent:
		c.Meta = itemMeta(c.Meta)
		return c
	case contract.ResourceContent:
		c.Meta = itemMeta(c.Meta)
		c.ResourceMeta = itemMeta(c.ResourceMeta)
		return c
	}
	return item // the guard returns no other kind
}

// itemMeta returns nil if no keys are left.
func itemMeta(fields map[string]any) map[string]any {
	kept := maps.Clone(fields)
	maps.DeleteFunc(kept, func(key string, _ any) bool { return strings.HasPrefix(key, protocolKeys) })
	if len(kept) == 0 {
		return nil
	}
	return kept
}
