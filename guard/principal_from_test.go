package guard_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// callers records the subject that each function of an author sees.
type callers struct {
	mu   sync.Mutex
	seen map[string]string
}

func (c *callers) see(ctx context.Context, function string) {
	p, known := guard.PrincipalFrom(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen = map[string]string{}
	}
	c.seen[function] = p.Subject
	if known == p.IsAnonymous() {
		c.seen[function] = "contradictory"
	}
}

func (c *callers) Take(ctx context.Context, _ ...store.Bucket) (time.Duration, error) {
	c.see(ctx, "limiter")
	return 0, nil
}

func (*callers) Attach(guard.People) error { return nil }

func (c *callers) Pending(ctx context.Context, _ people.PendingQuestion) (string, error) {
	c.see(ctx, "approver")
	return desk, nil
}

func (c *callers) page(ctx context.Context, r people.StepUpRequest) (string, error) {
	c.see(ctx, "step-up page")
	return "https://id.example/step-up?id=" + r.ID, nil
}

func (c *callers) preview(ctx context.Context, in payInput) (dryrun.Preview[payPreview], error) {
	c.see(ctx, "preview")
	return previewPay(ctx, in)
}

func (c *callers) authorize(ctx context.Context, _ contract.Principal, _ payInput) error {
	c.see(ctx, "Authorize")
	return nil
}

func (c *callers) policy(ctx context.Context, _ guard.Action) error {
	c.see(ctx, "Authorizer")
	return nil
}

func (c *callers) tool(name string) *contract.Builder[payInput, payOutput] {
	return contract.New(name, func(ctx context.Context, in payInput) (payOutput, error) {
		c.see(ctx, "handler")
		return payOutput{}, nil
	}).From(writing()).Authorize(c.authorize).DryRun(dryrun.By(c.preview))
}

func TestPrincipalFrom_FindsTheCallerInEveryFunctionOfAnAuthor(t *testing.T) {
	t.Parallel()
	c := &callers{}
	k := newKit(t, []*contract.Tool{
		c.tool("pay.now").MustBuild(),
		c.tool("pay.later").ConfirmAlways().MustBuild(),
		c.tool("pay.strong").StepUp(demand).MustBuild(),
	}, guard.WithAuthorizer(c.policy), guard.WithLimiter(c), guard.WithPeople(guard.PeopleOptions{Approver: c, StepUpPage: c.page}))
	require.False(t, k.call(alice, "pay.now", validPay).IsError)
	require.False(t, k.call(alice, "pay.now", dryPay).IsError)
	waits(t, k.call(alice, "pay.later", validPay))
	sent(t, k.urlRound(round{who: alice, tool: "pay.strong", arguments: validPay}))
	_, err := k.set.Call(as(t.Context(), alice), guard.Request{
		Tool: "pay.later", Arguments: json.RawMessage(validPay),
		Client: guard.Client{
			Ask: func(ctx context.Context, _ people.Question) (json.RawMessage, error) {
				c.see(ctx, "asker")
				return json.RawMessage(confirmed), nil
			},
		},
	})
	require.NoError(t, err)
	for _, function := range []string{"handler", "preview", "Authorize", "Authorizer", "limiter", "approver", "step-up page",
		"asker"} {
		assert.Equal(t, "alice", c.seen[function], function)
	}
}

func TestPrincipalFrom_HasNoPrincipalOutsideACallOrForAnonymousCallers(t *testing.T) {
	t.Parallel()
	_, known := guard.PrincipalFrom(t.Context())
	assert.False(t, known)

	c := &callers{}
	inner := newKit(t, []*contract.Tool{reader("time.now", func(ctx context.Context) (string, error) {
		c.see(ctx, "inner")
		return "", nil
	}).MustBuild()}, guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal,
		error) {
		return guard.Principal{}, nil
	})))
	outer := newKit(t, []*contract.Tool{reader("time.outer", func(ctx context.Context) (string, error) {
		_, err := inner.set.Call(ctx, guard.Request{Tool: "time.now"})
		c.see(ctx, "outer")
		return "", err
	}).MustBuild()})
	require.False(t, outer.call(alice, "time.outer", "").IsError)
	assert.Equal(t, map[string]string{"inner": "", "outer": "alice"}, c.seen)
}
