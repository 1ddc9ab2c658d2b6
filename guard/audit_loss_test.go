package guard_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

var errDiskFull = errors.New("disk full")

// A breakable is a sink that can fail.
type breakable struct {
	audit.Recorder
	broken atomic.Bool
}

func (b *breakable) Write(ctx context.Context, e audit.Event) error {
	if b.broken.Load() {
		return errDiskFull
	}
	return b.Recorder.Write(ctx, e)
}

// byRisk returns a low-risk, a medium-risk and a high-risk tool.
func (n *counter) byRisk() []*contract.Tool {
	low := reader("time.now", func(context.Context) (string, error) { n.runs.Add(1); return "noon", nil })
	return []*contract.Tool{low.MustBuild(), n.payer("pay.some").MustBuild(), n.high("pay.much").MustBuild()}
}

// gathered waits in a bubble until the sink had the events of all calls, which
// gather for a millisecond.
func gathered() {
	time.Sleep(time.Millisecond)
	synctest.Wait()
}

// callEach calls the tools of byRisk and returns the codes of the answers. The
// sink has seen every event when it returns.
func (k *kit) callEach() (codes []string) {
	for _, tool := range []string{"time.now", "pay.some", "pay.much"} {
		arguments := validPay
		if tool == "time.now" {
			arguments = ""
		}
		codes = append(codes, k.call(alice, tool, arguments).Outcome.Code)
		gathered()
	}
	return codes
}

func TestThreat94_CallsFromMediumRiskUpNeedTheSink(t *testing.T) {
	t.Parallel()
	const refusal = contract.CodeUnavailable
	for name, tt := range map[string]struct {
		loss []guard.AuditLoss
		want []string
	}{
		"by default reads go on": {nil, []string{"", refusal, refusal}},
		"no level":               {[]guard.AuditLoss{{}}, []string{"", refusal, refusal}},
		"reads are refused too":  {[]guard.AuditLoss{{RefuseFrom: risk.Low}}, []string{refusal, refusal, refusal}},
		"medium risk goes on":    {[]guard.AuditLoss{{RefuseFrom: risk.High}}, []string{"", "", refusal}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sink, n := &breakable{}, &counter{}
				k := newKit(t, n.byRisk(), guard.WithAudit(sink, tt.loss...))
				require.Equal(t, []string{"", "", ""}, k.callEach())
				sink.broken.Store(true)
				k.call(alice, "time.now", "") // its lost event shows that the sink is broken
				gathered()
				n.runs.Store(0)
				assert.Equal(t, tt.want, k.callEach())
				ran := int64(0)
				for _, code := range tt.want {
					if code == "" {
						ran++
					}
				}
				assert.Equal(t, ran, n.runs.Load(), "a refused call does not run")

				sink.broken.Store(false)
				k.call(alice, "pay.some", validPay) // its event shows that the sink works again
				synctest.Wait()
				assert.Equal(t, []string{"", "", ""}, k.callEach())

				err := k.guard.Close(t.Context())
				loss, ok := errors.AsType[*guard.AuditLossError](err)
				require.True(t, ok, "%v", err)
				assert.EqualValues(t, k.guard.Stats().AuditLost, loss.Lost)
				assert.Equal(t, 4, loss.Lost)
			})
		})
	}
}

// A sink that hangs counts as broken after two seconds, even if its queue still
// has places.
func TestThreat94_HangingSinkStopsCallsFromMediumRiskUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		n := &counter{}
		k := newKit(t, n.byRisk(), unlimited,
			guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { <-hang; return nil })))
		require.False(t, k.call(alice, "pay.some", validPay).IsError)
		time.Sleep(2*time.Second + time.Millisecond)
		refused(t, k.call(alice, "pay.some", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		before := time.Now()
		for range 2000 {
			require.False(t, k.call(alice, "time.now", "").IsError)
		}
		assert.Zero(t, time.Since(before), "reads do not wait for a sink that hangs")
		assert.Positive(t, k.guard.Stats().AuditLost, "the queue is bounded")
		close(hang)
		synctest.Wait()
		require.False(t, k.call(alice, "pay.some", validPay).IsError)
	})
}

func TestAuditLoss_IsReportedAtOnceAndAtClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, sink, n := &serverLog{}, &breakable{}, &counter{}
		var mu sync.Mutex
		var lost []int
		k := newKit(t, n.byRisk(), log.option(), guard.WithAudit(sink, guard.AuditLoss{Report: func(n int) {
			mu.Lock()
			defer mu.Unlock()
			lost = append(lost, n)
		}}))
		sink.broken.Store(true)
		k.call(alice, "time.now", "")
		synctest.Wait()
		require.Len(t, log.lines(t), 1)
		line := log.lines(t)[0]
		assert.Equal(t, "ERROR", line.Level)
		assert.Equal(t, errDiskFull.Error(), line.Error)
		for range 25 {
			k.call(alice, "time.now", "")
		}
		synctest.Wait()
		assert.Len(t, log.lines(t), 1, "the lines are limited")
		require.Error(t, k.guard.Close(t.Context()))
		assert.Equal(t, []int{1, 25}, lost)
		assert.Len(t, log.lines(t), 2)
	})
}

func TestAuditLoss_FunctionThatPanicsOrHangsIsContained(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]func(int){
		"panics": func(int) { panic("boom") },
		"hangs":  func(int) { time.Sleep(time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log, n := &serverLog{}, &counter{}
				k := newKit(t, n.byRisk(), guard.WithAudit(audit.Func(nil), guard.AuditLoss{Report: report}), log.option())
				for range 3 {
					k.call(alice, "time.now", "")
				}
				_, ok := errors.AsType[*guard.AuditLossError](k.guard.Close(t.Context()))
				assert.True(t, ok)
				assert.NotEmpty(t, log.lines(t))
				time.Sleep(time.Hour) // the function ends
			})
		})
	}
}

func TestNew_RefusesASecondSinkBecauseOneWouldStayEmpty(t *testing.T) {
	t.Parallel()
	var first, second audit.Recorder
	_, err := guard.New(guard.WithAudit(&first), guard.WithAudit(&second))
	assert.ErrorContains(t, err, "audit.Tee")
	_, err = guard.New(guard.WithAudit(audit.Tee(&first, &second)))
	assert.NoError(t, err)
}

func TestAuditLoss_OptionsRejectInvalidValues(t *testing.T) {
	t.Parallel()
	sink := &audit.Recorder{}
	for _, o := range []guard.Option{
		guard.WithAudit(sink, guard.AuditLoss{RefuseFrom: risk.Critical}), guard.WithAudit(sink,
			guard.AuditLoss{RefuseFrom: risk.Forbidden}),
		guard.WithAudit(sink, guard.AuditLoss{RefuseFrom: risk.Level(200)}), guard.WithAudit(sink, guard.AuditLoss{},
			guard.AuditLoss{}),
	} {
		_, err := guard.New(o)
		assert.ErrorContains(t, err, "guard: WithAudit: ")
	}
}

// The question goes through the queue and the intent does not, but the question
// is on record first.
func TestAudit_AskedPrecedesTheIntentOfItsCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		seen := map[string][]audit.Kind{}
		slow := audit.Func(func(_ context.Context, e audit.Event) error {
			time.Sleep(time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			seen[e.CallID] = append(seen[e.CallID], e.Kind)
			return nil
		})
		n := &counter{}
		tools := append(n.byRisk(), n.payer("pay.asked").Risk(risk.High).ConfirmAlways().MustBuild())
		k := newKit(t, tools, guard.WithAudit(slow), unlimited)
		var group sync.WaitGroup
		for caller := range 8 {
			group.Go(func() {
				who := alice
				who.Subject += string(rune('a' + caller))
				for range 20 {
					k.call(who, "time.now", "")
				}
				r, err := k.set.Call(as(context.Background(), who), guard.Request{
					Tool: "pay.asked", Arguments: json.RawMessage(validPay),
					Client: guard.Client{
						Ask: func(context.Context, people.Question) (json.RawMessage, error) {
							return json.RawMessage(confirmed), nil
						},
					},
				})
				if assert.NoError(t, err) {
					assert.False(t, r.IsError, r.Text)
				}
			})
		}
		group.Wait()
		require.NoError(t, k.guard.Close(t.Context()))
		asked := 0
		for _, kinds := range seen {
			if slices.Contains(kinds, audit.Asked) {
				asked++
				assert.Equal(t, []audit.Kind{audit.Asked, audit.Decided, audit.Intent, audit.Terminal}, kinds)
			}
		}
		assert.Equal(t, 8, asked)
	})
}

// A log file that another program changed accepts no more events. The line of
// the server's log names the file.
func TestAuditLoss_NamesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	sink, err := audit.OpenFile(path)
	require.NoError(t, err)
	require.NoError(t, sink.Close())
	log, n := &serverLog{}, &counter{}
	k := newKit(t, n.byRisk(), guard.WithAudit(sink), log.option())
	require.False(t, k.call(alice, "time.now", "").IsError)
	require.Error(t, k.guard.Close(t.Context()))
	require.NotEmpty(t, log.lines(t))
	assert.Contains(t, log.lines(t)[0].Error, strconv.Quote(path))
}
