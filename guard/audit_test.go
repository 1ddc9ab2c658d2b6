package guard_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// high builds a high-risk tool without confirmation, over a handler that
// counts.
func (n *counter) high(name string) *contract.Builder[payInput, payOutput] {
	return n.payer(name).Risk(risk.High).ConfirmNever("the amount is bounded")
}

func TestThreat93_EveryCallHasOneTerminalEventWithItsFacts(t *testing.T) {
	t.Parallel()
	n := &counter{}
	tool := n.high("pay.now").AuditEvent("payment.made").MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(alice, "pay.now", validPay)
	require.False(t, r.IsError)
	require.NoError(t, k.guard.Close(t.Context()))
	events := k.log.Events()
	require.Len(t, events, 2)
	intent, terminal := events[0], events[1]
	assert.Equal(t, audit.Intent, intent.Kind)
	assert.Equal(t, audit.Terminal, terminal.Kind)
	for _, e := range events {
		assert.Equal(t, r.Outcome.CallID, e.CallID)
		assert.Equal(t, "pay.now", e.Tool)
		assert.Equal(t, "payment.made", e.AuditEvent)
		assert.Equal(t, risk.High, e.Risk)
		assert.Equal(t, "1.0.0", e.Version)
		assert.Equal(t, tool.Digest(), e.ContractDigest)
		assert.NotEmpty(t, e.ArgumentsDigest)
		assert.Equal(t, "test", e.Issuer)
		assert.Equal(t, "alice", e.Principal)
		assert.True(t, e.Agent)
		assert.Equal(t, audit.Allow, e.Decision)
		assert.False(t, e.Time.IsZero())
	}
	assert.Equal(t, "ok", terminal.Status)
	assert.Equal(t, "checkresult", terminal.Stage)
}

func TestAudit_ArgumentsDigestIsKeyed(t *testing.T) {
	t.Parallel()
	digest := func() string {
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.payer("pay.now").MustBuild()})
		k.call(alice, "pay.now", validPay)
		return k.events(audit.Terminal)[0].ArgumentsDigest
	}
	first, second := digest(), digest()
	assert.NotEqual(t, first, second, "two guards have different keys")
}

type letterInput struct {
	To    string            `json:"to"`
	Body  string            `json:"body" contract:"sensitive"`
	Token string            `json:"token,omitempty" contract:"secret"`
	PIN   int               `json:"pin,omitempty" contract:"secret"`
	More  map[string]string `json:"more,omitempty" contract:"sensitive"`
	Parts []part            `json:"parts,omitempty"`
}

type part struct {
	Name string `json:"name"`
	Data string `json:"data" contract:"sensitive"`
}

func TestThreat93_NoSensitiveValueReachesTheLog(t *testing.T) {
	t.Parallel()
	tool := contract.New("letter.send", func(_ context.Context, in letterInput) (empty, error) {
		return empty{}, errors.New("smtp: cannot send to " + in.To + ": " + in.Body + " / " + in.Token + " 471147114711 " +
			in.More["k"] + in.Parts[0].Data + in.Parts[0].Name + ` "line\none"`)
	}).Description("Sends.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("mail:send").MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	r := k.call(alice, "letter.send", `{"to":"anna","body":"line\none","token":"tok-xyz","pin":471147114711,"more":{"k":"mmm"},`+
		`"parts":[{"name":"cv","data":"zzz"}]}`)
	refused(t, r, contract.CodeInternalError, contract.ClassFatal)
	require.NoError(t, k.guard.Close(t.Context()))
	data, err := json.Marshal(k.log.Events())
	require.NoError(t, err)
	for _, secret := range []string{"none", "tok-xyz", "471147114711", "mmm", "zzz"} {
		assert.NotContains(t, string(data), secret)
	}
	assert.Contains(t, string(data), "cannot send to anna", "other text is kept for the operator")
	assert.Contains(t, string(data), "cv")
}

func TestAudit_ErrorTextIsCleanAndBounded(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error {
		return errors.New("a\x1b[2Jb\u202e" + strings.Repeat("ü", 1000))
	}).MustBuild()})
	k.call(alice, "pay.now", "")
	text := k.events(audit.Terminal)[0].Error
	assert.True(t, strings.HasPrefix(text, "abü"), text)
	assert.LessOrEqual(t, len(text), 1024)
	assert.True(t, utf8.ValidString(text))
}

func TestThreat93_NoEncodedSensitiveValueReachesTheLog(t *testing.T) {
	t.Parallel()
	const body = "<b>tom & jerry/ü\"</b>"
	escaped, err := json.Marshal(body)
	require.NoError(t, err)
	for name, form := range map[string]string{
		"as it is": body, "quoted": strconv.Quote(body), "in ASCII": strconv.QuoteToASCII(body), "as JSON": string(escaped),
		"in a query": url.QueryEscape(body), "in a path": url.PathEscape(body),
		"in hex": hex.EncodeToString([]byte(body)), "in base64": base64.StdEncoding.EncodeToString([]byte(body)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := contract.New("letter.send", func(context.Context, letterInput) (empty, error) {
				return empty{}, errors.New("post failed: >" + form + "<")
			}).From(writing()).MustBuild()
			k := newKit(t, []*contract.Tool{tool})
			arguments, err := json.Marshal(letterInput{To: "anna", Body: body})
			require.NoError(t, err)
			k.call(alice, "letter.send", string(arguments))
			text := k.events(audit.Terminal)[0].Error
			assert.Contains(t, text, "post failed: >")
			assert.NotContains(t, text, form)
			assert.Contains(t, text, "[redacted]")
		})
	}
}

type panickingError struct{}

func (panickingError) Error() string { panic("no text") }

func TestAudit_ErrorWithoutATextIsContained(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{writer("pay.now", func(context.Context) error { return panickingError{} }).MustBuild()})
	refused(t, k.call(alice, "pay.now", ""), contract.CodeInternalError, contract.ClassFatal)
	assert.Len(t, k.events(audit.Terminal), 1)
}

func TestAudit_RefusalOfATransportIsRecorded(t *testing.T) {
	t.Parallel()
	k := newKit(t, nil)
	a := k.set.Adapter()
	a.UnknownTool(as(t.Context(), bob), "x\r\n\x1b[2J"+strings.Repeat("y", 1000))
	a.Unparsable(as(t.Context(), bob))
	events := k.events(audit.Terminal)
	require.Len(t, events, 2)
	assert.Equal(t, []string{"bob", "bob"}, []string{events[0].Principal, events[1].Principal})
	assert.Equal(t, []string{"unknown_tool", "unparsable"}, []string{events[0].Code, events[1].Code})
	assert.LessOrEqual(t, len(events[0].Tool), 128)
	assert.NotContains(t, events[0].Tool, "\x1b")
	assert.Empty(t, events[1].Tool)
}

// If the sink fails, panics or hangs, a high-risk call does not run. A low-risk
// call runs, and the lost event is counted.
func TestThreat94_FailedSinkStopsHighRiskCalls(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]audit.Func{
		"fails":  func(context.Context, audit.Event) error { return errors.New("disk full") },
		"panics": func(context.Context, audit.Event) error { panic("disk full") },
		"hangs":  func(ctx context.Context, _ audit.Event) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &counter{}
				k := newKit(t, []*contract.Tool{
					n.high("pay.now").MustBuild(),
					reader("time.now", func(context.Context) (string, error) { return "noon", nil }).MustBuild(),
				}, guard.WithAudit(write))
				start := time.Now()
				assert.False(t, k.call(alice, "time.now", "").IsError)
				assert.Zero(t, time.Since(start), "a low-risk call does not wait for the sink")
				r := k.call(alice, "pay.now", validPay)
				refused(t, r, contract.CodeUnavailable, contract.ClassRetryable)
				assert.LessOrEqual(t, time.Since(start), 2*time.Second)
				assert.Zero(t, n.runs.Load())
				_, ok := errors.AsType[*guard.AuditLossError](k.guard.Close(t.Context()))
				assert.True(t, ok)
				assert.Positive(t, k.guard.Stats().AuditLost)
			})
		})
	}
}

func TestAudit_ClosedQueueCountsEvents(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{reader("time.now", func(context.Context) (string, error) { return "", nil }).MustBuild()})
	require.NoError(t, k.guard.Close(t.Context()))
	k.call(alice, "time.now", "")
	assert.EqualValues(t, 1, k.guard.Stats().AuditLost)
	_, ok := errors.AsType[*guard.AuditLossError](k.guard.Close(t.Context()))
	assert.True(t, ok)
}

func TestAudit_EventsOfACallArriveInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // no intent is late in a bubble
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.high("pay.now").MustBuild()})
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				for range 20 {
					k.call(alice, "pay.now", validPay)
				}
			})
		}
		calls.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		seen := map[string][]audit.Kind{}
		for _, e := range k.log.Events() {
			seen[e.CallID] = append(seen[e.CallID], e.Kind)
		}
		assert.Len(t, seen, 160)
		for _, kinds := range seen {
			assert.Equal(t, []audit.Kind{audit.Intent, audit.Terminal}, kinds)
		}
	})
}

// A sink that writes intents in batches gets them concurrently.
func TestAudit_IntentsDoNotWaitForOneAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // time passes in a bubble only if they wait
		var intents atomic.Int64
		both := make(chan struct{})
		sink := audit.Func(func(ctx context.Context, e audit.Event) error {
			if e.Kind != audit.Intent {
				return nil
			}
			if intents.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		n := &counter{}
		k := newKit(t, []*contract.Tool{n.high("pay.now").MustBuild()}, guard.WithAudit(sink))
		var calls sync.WaitGroup
		for range 2 {
			calls.Go(func() { assert.False(t, k.call(alice, "pay.now", validPay).IsError) })
		}
		calls.Wait()
	})
}
