package records

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/store"
)

// maxClientKey is the maximum length of a client's idempotency key, in bytes.
const maxClientKey = 255

// KeyOf returns the key that deduplicates a call: the declared key fields, or
// else the client's key if the contract takes one, or else all arguments.
// Arguments that equal their default do not count. The key of a keyed call is
// the client's. A dry run has no key, because it does not execute the call. If
// the client sent no key, fromClient is nil.
func KeyOf(t *facts.ProtectedTool, scope store.Scope, args *bound.Arguments, fromClient *string) (store.Key, *answer.Refusal) {
	if !t.IsDeduplicated || args.DryRun {
		return store.Key{}, nil
	}
	var name string
	switch fields := t.Doc.Idempotency.KeyFields; {
	case len(fields) > 0:
		chosen, err := strictjson.Marshal(membersOf(args.ComparedTree(), fields))
		if err != nil { // cannot fail, because all arguments could be written
			return store.Key{}, answer.NewRefusal(contract.CodeInternalError, "").Because(err)
		}
		name = "fields\x00" + string(chosen)
	case t.TakesClientKey && fromClient != nil:
		if !isClientKey(*fromClient) {
			return store.Key{}, answer.Violated(contract.Violation{
				Rule: "idempotencyKey", Message: "the idempotency key must be a string of 1 to 255 printable ASCII characters",
			})
		}
		name = "client\x00" + *fromClient
	case t.Doc.Idempotency.KeyRequired:
		return store.Key{}, answer.Violated(contract.Violation{
			Rule: "idempotencyKey", Message: "the call needs an idempotency key, which the client sends in " +
				contract.MetaKeyIdempotencyKey + " of its _meta",
		})
	case t.Doc.Idempotency.Mode == idempotency.Keyed:
		return store.Key{}, nil
	default:
		name = "arguments\x00" + string(args.Compared)
	}
	return scope.Key(name), nil
}

// membersOf picks members of an object. Absent members stay absent.
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
