package docs_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/faultystore"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// A ledger is the system behind the tool of the page.
type ledger struct {
	posted []string // the keys of its effects
	dead   bool     // whether the next server dies
}

// A moment is when a server dies in a call.
type moment int

const (
	beforeEffect moment = iota
	afterEffect
	afterRecord
)

var moments = []moment{beforeEffect, afterEffect, afterRecord}

const (
	crashLease = 6 * time.Second
	crashQuiet = 30 * time.Second
)

// A declaredKind is a row of the page's table of crashes.
type declaredKind struct {
	idempotency contract.Idempotency
	reconciles  bool
	voids       bool
	sendsKey    bool
}

// kinds has the rows of the table of crashes, except that of an atomic tool,
// which needs a database: its own tests kill its processes.
var kinds = map[string][]declaredKind{
	"no idempotency, or `Keyed` and the call has no key": {
		{}, {idempotency: contract.Idempotency{Mode: idempotency.Keyed}},
	},
	"`Native`": {{idempotency: contract.Idempotency{Mode: idempotency.Native}}},
	"`Managed`, or `Keyed` and the call has a key": {
		{idempotency: byEntry(idempotency.Refuse)},
		{idempotency: contract.Idempotency{Mode: idempotency.Managed}},
		{idempotency: contract.Idempotency{Mode: idempotency.Keyed}, sendsKey: true},
	},
	"the same with `OnUnknown: Rerun`": {
		{idempotency: byEntry(idempotency.Rerun)},
		{idempotency: contract.Idempotency{Mode: idempotency.Keyed, OnUnknown: idempotency.Rerun}, sendsKey: true},
	},
	"`Managed` with `Reconcile` that can void the key": {
		{idempotency: byEntry(idempotency.Refuse), reconciles: true, voids: true},
		{
			idempotency: contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true},
			reconciles:  true, voids: true, sendsKey: true,
		},
	},
	"`Managed` with `Reconcile` that can only look, and `Quiet`": {
		{idempotency: byEntry(idempotency.Refuse), reconciles: true},
	},
}

func byEntry(onUnknown idempotency.OnUnknown) contract.Idempotency {
	return contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"entry"}, OnUnknown: onUnknown}
}

type entryInput struct {
	Entry string `json:"entry"`
}

type entryOutput struct {
	Posted int `json:"posted" jsonschema_description:"The number of entries."`
}

// tool returns a tool of the kind. Its server dies at the moment, which is told
// to die.
func (k declaredKind) tool(l *ledger, at moment, die func(context.Context) error) *contract.Tool {
	post := func(ctx context.Context, _ entryInput) (entryOutput, error) {
		dies := l.dead
		l.dead = false
		if dies && at == beforeEffect {
			return entryOutput{}, die(ctx)
		}
		key, _ := guard.IdempotencyKey(ctx)
		l.posted = append(l.posted, key)
		if dies && at == afterEffect {
			return entryOutput{}, die(ctx)
		}
		return entryOutput{len(l.posted)}, nil
	}
	b := contract.New("ledger.post", post).
		Description("Posts an entry to the ledger.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("ledger:write").
		Timeout(5 * time.Second)
	if k.idempotency.Mode != 0 {
		b.Idempotency(k.idempotency)
	}
	if !k.reconciles {
		return b.MustBuild()
	}
	return b.Reconcile(func(ctx context.Context, _ entryInput, _ time.Time) (contract.Reconciled[entryOutput], error) {
		key, _ := guard.IdempotencyKey(ctx)
		for i, posted := range l.posted {
			if posted == key {
				return contract.Happened(entryOutput{i + 1}), nil
			}
		}
		if k.voids {
			return contract.CannotHappen[entryOutput](), nil
		}
		return contract.DidNotHappen[entryOutput](), nil
	}, contract.Reconciling{Quiet: crashQuiet}).MustBuild()
}

// A bookServer is a server with the tool.
type bookServer struct {
	kind  declaredKind
	guard *guard.Guard
	log   *audit.Recorder
	table *adapter.Table
}

func (k declaredKind) server(t *testing.T, records store.Store, tool *contract.Tool) bookServer {
	t.Helper()
	log := new(audit.Recorder)
	g, err := guard.New(guard.WithAudit(log), guard.WithStore(records), guard.WithOperations(),
		guard.WithSealingKeys(make([]byte, 32)), guard.WithNamespace("books"),
		guard.WithTimes(guard.Times{Lease: crashLease, StoreTimeout: time.Second}),
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return anna("ledger:write"), nil })))
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{tool}, Naming: contract.Dotted})
	require.NoError(t, err)
	return bookServer{k, g, log, table}
}

// post calls the tool.
func (s bookServer) post(t *testing.T) contract.Outcome {
	t.Helper()
	request := adapter.Request{Arguments: json.RawMessage(`{"entry":"17"}`)}
	if s.kind.sendsKey {
		request.Meta = map[string]any{contract.MetaKeyIdempotencyKey: "entry-17"}
	}
	r, err := s.table.Call(t.Context(), s.table.Entry("ledger.post"), request)
	require.NoError(t, err)
	return *r.Outcome
}

// state looks up an operation.
func (s bookServer) state(t *testing.T, operation string) string {
	t.Helper()
	request := adapter.Request{Arguments: json.RawMessage(`{"operationId":"` + operation + `"}`)}
	r, err := s.table.Call(t.Context(), s.table.Entry("operations_get"), request)
	require.NoError(t, err)
	var found struct{ State string }
	require.NoError(t, json.Unmarshal(r.Structured, &found))
	return found.State
}

// crash makes a call whose server dies at a moment, and returns the next server.
// It must be called in a bubble of synctest.
func (k declaredKind) crash(t *testing.T, at moment) (bookServer, *ledger) {
	t.Helper()
	l := &ledger{dead: true}
	records, err := store.NewMemory()
	require.NoError(t, err)
	dying := faultystore.New(records)
	die := func(ctx context.Context) error {
		for _, op := range faultystore.Operations() {
			dying.FailBefore(op, faultystore.Every, nil)
		}
		<-ctx.Done()
		return ctx.Err()
	}
	k.server(t, dying, k.tool(l, at, die)).post(t)
	return k.server(t, records, k.tool(l, at, nil)), l
}

// afterCrash returns what a repeated call does after its server died, in the
// words of the page.
func (k declaredKind) afterCrash(t *testing.T, at moment) (words string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		next, l := k.crash(t, at)
		time.Sleep(crashLease)
		call := func() contract.Outcome { return next.post(t) }
		words = l.seen(call)
		if o := call(); o.Class == contract.ClassRetryable {
			time.Sleep(max(crashQuiet, time.Duration(o.RetryAfterMs)*time.Millisecond))
			words += ", later " + l.seen(call)
		}
	})
	return words
}

// seen makes a call and returns what it did.
func (l *ledger) seen(call func() contract.Outcome) string {
	before := len(l.posted)
	o := call()
	switch {
	case o.Code != "":
		return "`" + o.Code + "`"
	case o.Status == contract.StatusReplayed && len(l.posted) == before:
		return "replayed"
	case len(l.posted) == 1:
		return "runs"
	}
	return "runs again"
}

var crashRow = regexp.MustCompile(`(?m)^\| (.+) \| (.+) \| (.+) \| (.+) \|$`)

func TestOutcomesPage_SaysWhatEachToolAnswersAfterACrash(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(read(t, "docs/outcomes.md"), "\n| the tool declares |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := 0
	for _, row := range crashRow.FindAllStringSubmatch(table, -1) {
		for _, k := range kinds[row[1]] {
			rows++
			for i, at := range moments {
				t.Run(row[1], func(t *testing.T) {
					assert.Equal(t, row[2+i], k.afterCrash(t, at), "%+v: %d", k, at)
				})
			}
		}
	}
	assert.Equal(t, 11, rows, "each kind is in a row of the page")
}

// The page has these answers in a sentence below the table.
func TestOutcomesPage_SaysWhatALookupAnswersAfterACrash(t *testing.T) {
	t.Parallel()
	const sentence = "`operations_get` answers `running`. After that, `operations_get` answers `unknown` in the first two columns, " +
		"and `succeeded` in the last."
	assert.Contains(t, unwrapped(read(t, "docs/outcomes.md")), sentence)
	for at, want := range map[moment][2]string{
		beforeEffect: {"running", "unknown"}, afterEffect: {"running", "unknown"}, afterRecord: {"succeeded", "succeeded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			next, _ := declaredKind{idempotency: byEntry(idempotency.Refuse)}.crash(t, at)
			operation := next.post(t).OperationID
			assert.Equal(t, want[0], next.state(t, operation))
			time.Sleep(crashLease)
			assert.Equal(t, want[1], next.state(t, operation))
		})
	}
}

// The page says it to operators.
func TestOutcomesPage_SaysWhatASettlementLeavesOpen(t *testing.T) {
	t.Parallel()
	for settled, want := range map[store.Settlement]struct{ state, post string }{
		store.Happened:     {"unknown", "`already_done`"},
		store.DidNotHappen: {"did_not_happen", "runs again"},
	} {
		synctest.Test(t, func(t *testing.T) {
			next, l := declaredKind{idempotency: byEntry(idempotency.Refuse)}.crash(t, afterEffect)
			time.Sleep(crashLease)
			open := next.post(t)
			require.Equal(t, contract.CodeOutcomeUnknown, open.Code)
			synctest.Wait() // for the queue of events
			events := next.log.Events()
			require.NotEmpty(t, events)
			require.NoError(t, next.guard.ResolveUnknown(t.Context(), events[len(events)-1].LookupKey, settled))
			assert.Equal(t, want.state, next.state(t, open.OperationID))
			assert.Equal(t, want.post, l.seen(func() contract.Outcome { return next.post(t) }))
		})
	}
}
