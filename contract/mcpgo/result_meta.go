package mcpgo

import (
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/trust"
)

// ownKeys is the prefix of this library's keys in _meta.
const ownKeys = "io.github.toolcontract/"

// resultMeta returns the _meta of a result: that of the handler, with the
// outcome. A handler can set none of this library's keys. It can set challenges
// only if its tool returns trusted content, because a host sends people to the
// address in a challenge, and untrusted content may contain a challenge of an
// attacker.
func resultMeta(r *guard.Result) map[string]any {
	meta := make(map[string]any, len(r.Meta)+1)
	for key, value := range r.Meta {
		if !strings.HasPrefix(key, ownKeys) && (key != metaKeyChallenges || r.Outcome.ContentTrust == trust.Trusted) {
			meta[key] = value
		}
	}
	meta[contract.MetaKeyOutcome] = r.Outcome
	return meta
}
