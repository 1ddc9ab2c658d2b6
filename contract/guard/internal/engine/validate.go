package engine

import (
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/oplog"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// maxClientKey is the maximal length of a client's idempotency key, in bytes.
const maxClientKey = 255

// validate reads the arguments: strict JSON, defaults, the input schema, the
// tool author's type. It also determines the key of the call. If the call
// carries a state for other arguments or of another principal, it ends here. If
// it carries the state of a handler, it continues the call of that handler.
func validate(who identified, state *consent.State, carried *handlerRound) (understood, *answer.Answer) {
	u := understood{identified: who, doc: &who.tool.Doc}
	args, broken := who.tool.Half.Decode(who.req.Arguments)
	if len(broken) > 0 {
		if args != nil {
			u.engine.lines.Panicked(u.ctx, args.Panic)
		}
		return u, answer.Refuse(answer.Violated(violations(broken)...))
	}
	u.args = args
	oplog.NoteArguments(u.ctx, args)
	if state != nil && !state.IsFor(u.principalDigest(), u.exactArguments()) {
		return u, &answer.Answer{Err: exchange.ErrRejectedState}
	}
	if carried != nil {
		if !carried.belongsTo(u, time.Now()) {
			return u, &answer.Answer{Err: exchange.ErrRejectedState}
		}
		u.round, u.approved = carried, carried.Approved
		u.log.Continue(carried.CallID)
	}
	var refused *answer.Refusal
	if u.key, refused = identify(u); refused != nil {
		return u, answer.Refuse(refused)
	}
	return u, nil
}

func violations(of []schema.Violation) []contract.Violation {
	all := make([]contract.Violation, len(of))
	for i, v := range of {
		all[i] = contract.Violation{Rule: v.Rule, Pointer: v.Pointer, Message: v.Message}
	}
	return all
}

// maxReadings is the number of readings that an outcome lists.
const maxReadings = 100

// readings lists the arguments that were read in another form, and counts those
// that are too many to list.
func readings(args *bound.Arguments) (listed []contract.Reading, more int) {
	if args == nil {
		return nil, 0
	}
	shown := args.Readings[:min(len(args.Readings), maxReadings)]
	for _, r := range shown {
		listed = append(listed, contract.Reading{Pointer: r.Pointer, As: contract.Leniency(r.Form)})
	}
	return listed, len(args.Readings) - len(shown)
}

// identify returns the key of a call that is deduplicated: the declared key
// fields, else the client's key if the contract takes one, else all arguments.
// A keyed call has only the client's key. A dry run has no key, because it does
// not execute the call.
func identify(u understood) (store.Key, *answer.Refusal) {
	if !u.tool.IsDeduplicated || u.args.DryRun {
		return store.Key{}, nil
	}
	var name string
	switch fields := u.tool.Doc.Idempotency.KeyFields; {
	case len(fields) > 0:
		chosen, err := strictjson.Marshal(membersOf(u.args.Tree(), fields))
		if err != nil { // cannot fail, because all arguments could be written
			return store.Key{}, answer.NewRefusal(contract.CodeInternalError, "").Because(err)
		}
		name = "fields\x00" + string(chosen)
	case u.tool.TakesClientKey && u.req.IdempotencyKey != nil:
		if !isClientKey(*u.req.IdempotencyKey) {
			return store.Key{}, answer.Violated(contract.Violation{
				Rule: "idempotencyKey", Message: "the idempotency key must be a string of 1 to 255 printable ASCII characters",
			})
		}
		name = "client\x00" + *u.req.IdempotencyKey
	case u.tool.Doc.Idempotency.Mode == idempotency.Keyed:
		return store.Key{}, nil
	default:
		name = "arguments\x00" + string(u.args.Canonical)
	}
	return u.scope().Key(name), nil
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
