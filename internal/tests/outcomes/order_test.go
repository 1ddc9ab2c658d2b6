//go:build unix

package outcomes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// patience limits how long a test waits. A longer wait means that something
// hangs.
const patience = 2 * time.Minute

// A shop is a store with a provider, whose processes a test starts.
type shop struct {
	place    place
	provider *provider
}

func newShop(t *testing.T, k kind) *shop {
	t.Helper()
	return &shop{newPlace(t, k), newProvider(t)}
}

// inShops runs a test in a new shop on each kind of store.
func inShops(t *testing.T, kinds []kind, test func(t *testing.T, s *shop)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(string(k), func(t *testing.T) {
			t.Parallel()
			test(t, newShop(t, k))
		})
	}
}

// A server is a client of a process.
type server struct {
	*client.Client

	old bool // it is one of an older release
}

// start returns a new process, which starts at the first call.
func (s *shop) start(t *testing.T, p *process) *server {
	t.Helper()
	if p.Place == (place{}) {
		p.Place = s.place
	}
	p.Provider = s.provider.url
	text, err := json.Marshal(p)
	require.NoError(t, err)
	program := os.Args[0]
	if p.Old {
		program = os.Getenv(oldProgram)
	}
	c := client.New(client.Command{
		Path: program, Env: append(os.Environ(), processVariable+"="+string(text)), Stderr: serverLog(),
	})
	t.Cleanup(func() { _ = c.Close() })
	return &server{c, p.Old}
}

// serverLog is where the processes write, or nil.
func serverLog() *os.File {
	if os.Getenv("OUTCOMES_LOG") == "" {
		return nil
	}
	return os.Stderr
}

// An answer is the answer to a call. Its outcome is zero if the process ended.
type answer struct {
	contract.Outcome
	placeOut

	item string
	at   time.Time // of the answer
	text json.RawMessage
	err  error // of the connection
}

func (a *answer) isSuccess() bool {
	return a.Code == "" && (a.Status == contract.StatusOK || a.Status == contract.StatusReplayed)
}

// isEarly reports whether the answer only advises to repeat the call. On a busy
// machine a store may be slow to answer.
func (a *answer) isEarly() bool {
	return a.Code == contract.CodeKeyInProgress || a.Code == contract.CodeUnavailable
}

// String describes the answer in a line.
func (a *answer) String() string {
	if a.err != nil {
		return "lost: " + a.err.Error()
	}
	return fmt.Sprintf("%s %s %s, again after %d ms, %s", a.Status, a.Code, a.Receipt, a.RetryAfterMs, a.OperationID)
}

// An order is what a caller wants to have placed once, and the answers it gets.
type order struct {
	shop  *shop
	tool  string
	name  string
	token string // of the preview
	began time.Time

	mu      sync.Mutex
	answers []*answer
	lookups []lookup
	servers []*server // that only this order needs
}

func (s *shop) order(name string, as plan) *order {
	s.provider.plan(name, as)
	return &order{shop: s, tool: placeTool, name: name, began: time.Now()}
}

// start starts a process that only this order needs.
func (o *order) start(t *testing.T, p *process) *server {
	t.Helper()
	c := o.shop.start(t, p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.servers = append(o.servers, c)
	return c
}

// end ends the processes that only this order needs.
func (o *order) end() {
	for _, c := range o.servers {
		_ = c.Close()
	}
}

// pause waits as long as an answer advises, but not for long: an impatient
// caller must not be told anything untrue either.
func (a *answer) pause() {
	time.Sleep(min(max(time.Duration(a.RetryAfterMs)*time.Millisecond, 20*time.Millisecond), lease))
}

// place makes the call once.
func (o *order) place(ctx context.Context, c *server) *answer { return o.placeItem(ctx, c, "a book") }

func (o *order) placeItem(ctx context.Context, c *server, item string) *answer {
	in := map[string]any{"order": o.name, "item": item}
	if o.token != "" {
		in["dryRunToken"] = o.token
	}
	a := call(ctx, c.Client, o.tool, in)
	a.item, a.at = item, time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers = append(o.answers, a)
	return a
}

// placeUntil repeats the call, after the delays that the answers advise, until
// it succeeds, or an answer advises no repetition.
func (o *order) placeUntil(t *testing.T, c *server) *answer {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		a := o.place(t.Context(), c)
		o.lookUp(t.Context(), c, a.OperationID)
		if a.isSuccess() || a.err == nil && (a.Class == contract.ClassFatal || a.RetryAfterMs == 0) || time.Now().After(end) {
			return a
		}
		a.pause()
	}
}

// placeUntilUnknown repeats the call until its outcome is unknown.
func (o *order) placeUntilUnknown(t *testing.T, c *server) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		a := o.place(t.Context(), c)
		o.lookUp(t.Context(), c, a.OperationID)
		if a.Code == contract.CodeOutcomeUnknown {
			return
		}
		require.True(t, a.isEarly(), "%s", o)
		require.True(t, time.Now().Before(end), "%s", o)
		a.pause()
	}
}

// awaitLease repeats the call with a tool that cannot ask, until the lease of
// the last one is over.
func (o *order) awaitLease(t *testing.T) {
	t.Helper()
	c := o.shop.start(t, &process{})
	o.placeUntilUnknown(t, c)
	_ = c.Close()
}

// placeUntilRecorded repeats the call until the late success of its owner is
// recorded.
func (o *order) placeUntilRecorded(t *testing.T, c *server) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		a := o.place(t.Context(), c)
		if a.isSuccess() || time.Now().After(end) {
			assert.Equal(t, contract.StatusReplayed, a.Status, "%s", o)
			return
		}
	}
}

// call calls a tool once.
func call(ctx context.Context, c *client.Client, tool string, in any) *answer {
	a := &answer{}
	arguments, err := json.Marshal(in)
	if err != nil {
		a.err = err
		return a
	}
	meta := map[string]any{}
	if tool == keyedTool {
		var named struct{ Order string }
		_ = json.Unmarshal(arguments, &named)
		meta[contract.MetaKeyIdempotencyKey] = named.Order
	}
	a.text, a.err = c.Call(ctx, client.CallParams{Name: strings.ReplaceAll(tool, ".", "_"), Arguments: arguments, Meta: meta})
	if a.err != nil {
		return a
	}
	var result struct {
		Meta struct {
			Outcome *contract.Outcome `json:"io.github.toolcontract/outcome"`
		} `json:"_meta"`
		Output *placeOut `json:"structuredContent"`
	}
	result.Meta.Outcome, result.Output = &a.Outcome, &a.placeOut
	_ = json.Unmarshal(a.text, &result) // an answer without an outcome is no success
	return a
}

// A finding is what an order's answers and the provider show together.
type finding struct {
	effects int // that were not undone
	untrue  []string
	unknown int // answers that say outcome_unknown
	open    bool
}

// judge compares the answers with what the provider did.
func (o *order) judge() finding {
	o.mu.Lock()
	defer o.mu.Unlock()
	var f finding
	placed := o.shop.provider.placed(o.name)
	for _, e := range placed {
		if !e.undone {
			f.effects++
		}
	}
	for i, a := range o.answers {
		switch {
		case a.Code == contract.CodeOutcomeUnknown:
			f.unknown++
		case a.isSuccess():
			if !slices.ContainsFunc(placed, func(e effect) bool { return e.Receipt == a.Receipt && e.Item == a.item }) {
				f.untrue = append(f.untrue, fmt.Sprintf("answer %d: %s", i+1, a))
			}
			if !o.hasKeyOf(a, placed) {
				f.untrue = append(f.untrue, fmt.Sprintf("answer %d names another operation: %s", i+1, a))
			}
		}
	}
	for _, l := range o.lookups {
		op, ok := operation.Parse(l.id)
		happened := ok && slices.ContainsFunc(placed, func(e effect) bool { return e.Key == op.Key() })
		switch l.State {
		case "succeeded":
			ok = ok && happened
		case "did_not_happen", "failed":
			ok = ok && !happened
		case "running", "ended", "unknown":
		default:
			ok = false
		}
		if !ok {
			f.untrue = append(f.untrue, fmt.Sprintf("%s: %q", l.id, l.State))
		}
	}
	f.open = len(o.answers) == 0 || !o.answers[len(o.answers)-1].isSuccess()
	return f
}

// hasKeyOf reports whether a success names the operation whose key the provider
// got. An answer without a name is not judged.
func (o *order) hasKeyOf(a *answer, placed []effect) bool {
	if a.OperationID == "" {
		return true
	}
	op, ok := operation.Parse(a.OperationID)
	return ok && slices.ContainsFunc(placed, func(e effect) bool { return e.Receipt == a.Receipt && e.Key == op.Key() })
}

// isPlacedOnce checks that an order has one effect, that its last answer is a
// success, and that no answer is untrue.
func (o *order) isPlacedOnce(t *testing.T) finding {
	t.Helper()
	f := o.judge()
	assert.Equal(t, 1, f.effects, "%s", o)
	assert.Empty(t, f.untrue, "%s", o)
	assert.False(t, f.open, "%s", o)
	return f
}

// String returns the answers in order, and the effects.
func (o *order) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", o.name, o.shop.place.Kind)
	for i, a := range o.answers {
		line := fmt.Sprintf("\n%s: %s", a.item, a)
		if i == 0 || i == len(o.answers)-1 || !strings.HasSuffix(b.String(), line) {
			b.WriteString(line)
		}
	}
	for _, l := range o.lookups {
		fmt.Fprintf(&b, "\nlooked up: %s %s, again after %d ms", l.id, l.State, l.RetryAfterMs)
	}
	for _, e := range o.shop.provider.placed(o.name) {
		fmt.Fprintf(&b, "\neffect: %s, %s, key %.8s…, undone %t", e.Item, e.Receipt, e.Key, e.undone)
	}
	return b.String()
}
