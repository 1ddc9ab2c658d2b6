package contracttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/dryrun"
)

// A historyRun records one history.
type historyRun struct {
	*histories

	faulty   bool // the store fails at times
	replicas []*Client
	began    time.Time

	mu         sync.Mutex
	runs       []int // of each key
	operations []porcupine.Operation
}

// open makes the replicas.
func (r *historyRun) open(t *trialTB) error {
	for _, setup := range r.setups {
		setup(t)
	}
	tool := r.tool
	if r.fixture != nil {
		if made := r.fixture(t).named(r.doc.Name); made != nil {
			tool = made
		}
		if tool.Digest() != r.tool.Digest() {
			return errOtherContract
		}
	}
	shared, err := r.openStore(t)
	if err != nil {
		return err
	}
	watched := r.watched(tool)
	v := &verifier{tool: tool, doc: r.doc, config: &r.verifyConfig}
	for range historyReplicas {
		c := NewClient(clientTB{t}, []*contract.Tool{watched}, slices.Concat([]guard.Option{
			guard.WithLogger(slog.New(slog.DiscardHandler)), guard.WithStore(shared),
			guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32)), guard.WithRateLimit(1_000_000, time.Second),
			guard.WithRetryBudget(0, 0), guard.WithDrain(patience),
		}, r.guard)...)
		r.replicas = append(r.replicas, c.As(v.caller(input{})).Answering(v.person()))
	}
	return nil
}

func (r *historyRun) openStore(t testing.TB) (store.Store, error) {
	var shared store.Store
	if r.store != nil {
		shared = r.store(t)
	} else {
		memory, err := store.NewMemory()
		if err != nil {
			return nil, err
		}
		shared = memory
	}
	if r.faulty {
		shared = &faultyStore{Store: shared}
	}
	return shared, nil
}

// A runMark is in the context of a call: the key, and how often it ran.
type runMark struct {
	key  int
	mu   sync.Mutex
	runs int
}

type runMarkKey struct{}

// errInjected is an error that no contract declares.
var errInjected = errors.New("contracttest: the handler fails for the test")

// watched returns a copy of the tool whose runs are counted, and of which some
// fail.
func (r *historyRun) watched(tool *contract.Tool) *contract.Tool {
	watched, half := *tool, *bound.Of(tool)
	run := half.Run
	half.Run = func(ctx context.Context, in any) (any, error) {
		mark, ok := ctx.Value(runMarkKey{}).(*runMark)
		if !ok {
			return run(ctx, in)
		}
		mark.mu.Lock()
		mark.runs++
		mark.mu.Unlock()
		r.mu.Lock()
		n := r.runs[mark.key]
		r.runs[mark.key]++
		r.mu.Unlock()
		fault := faultOf(mark.key, n)
		if fault == faultBefore {
			return nil, errInjected
		}
		out, err := run(ctx, in)
		switch fault {
		case faultAfter:
			return out, errInjected
		case faultPanic:
			panic(errInjected) //nolint:forbidigo // the guard contains it
		case faultNone, faultBefore:
		}
		return out, err
	}
	bound.Rebind(&watched, &half)
	return &watched
}

// call makes one call and records it.
func (r *historyRun) call(caller, key int) {
	c := r.replicas[caller%len(r.replicas)]
	mark := &runMark{key: key}
	began := time.Since(r.began)
	result, err := r.send(c, mark)
	o := porcupine.Operation{
		ClientId: caller, Input: historyInput{key: key}, Output: r.answer(result, err, mark),
		Call: began.Nanoseconds(), Return: time.Since(r.began).Nanoseconds(),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, o)
}

func (r *historyRun) send(c *Client, mark *runMark) (*guard.Result, error) {
	arguments := r.inputs[mark.key]
	ctx := context.WithValue(c.context(), runMarkKey{}, mark)
	request := func(arguments json.RawMessage) guard.Request {
		var asked conversation
		req := guard.Request{Tool: r.doc.Name, Arguments: arguments, Server: serverName, Ask: asked.with(c.person)}
		if i := r.doc.Idempotency; i.ClientKey {
			key := fmt.Sprintf("key-%d", mark.key)
			req.IdempotencyKey = &key
		}
		return req
	}
	if r.doc.DryRun == dryrun.Required {
		preview, err := c.tools.Call(ctx, request(withMember(arguments, "dryRun", true)))
		if err != nil || preview.IsError {
			return preview, err
		}
		token := (&Result{Result: *preview}).dryRunToken()
		arguments = withMember(arguments, "dryRunToken", token)
	}
	return c.tools.Call(ctx, request(arguments))
}

// withMember returns arguments with one more member.
func withMember(arguments json.RawMessage, name string, value any) json.RawMessage {
	members := map[string]any{}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &own); err != nil {
		return arguments
	}
	for member, raw := range own {
		members[member] = raw
	}
	members[name] = value
	return json.RawMessage(encodedJSON(members))
}

// count records how often the effect of each key happened.
func (r *historyRun) count() {
	if r.effects == nil {
		return
	}
	for key, arguments := range r.inputs {
		at := time.Since(r.began).Nanoseconds()
		r.operations = append(r.operations, porcupine.Operation{
			ClientId: historyCallers, Input: historyInput{key: key, count: true}, Output: historyAnswer{kind: counted, effects: r.effects(string(arguments))},
			Call: at, Return: at + 1,
		})
	}
}
