package guard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

var lostKey = bytes.Repeat([]byte{1}, 32)

// A changing store changes the results that it returns.
type changing struct {
	*store.Memory
	change func(key store.Key, result []byte) []byte
}

func (s *changing) Claim(ctx context.Context, c store.Claim) (store.ClaimResult, error) {
	r, err := s.Memory.Claim(ctx, c)
	if r.Status == store.Finished && s.change != nil {
		r.Result = s.change(c.Key, r.Result)
	}
	return r, err
}

// resealed returns a change that replaces each result by a JSON that the
// library did not write, sealed with the key of the guard.
func resealed(t *testing.T, text string) func(key store.Key, result []byte) []byte {
	return func(key store.Key, _ []byte) []byte {
		l, err := ledger.Open(ledger.Config{Keys: [][]byte{lostKey}, Namespace: "kit", Timeout: time.Second, Lease: time.Minute})
		require.NoError(t, err)
		fingerprint := store.Fingerprint([]byte(validPay))
		return l.Sealer(ledger.Results).Seal([]byte(text), []byte(string(key.ID[:])+string(fingerprint[:])))
	}
}

func TestAlreadyDone_EachCauseHasAWordInBothLogs(t *testing.T) {
	t.Parallel()
	type step struct {
		first, second *contract.Tool // nil: pay.now
		change        func(key store.Key, result []byte) []byte
		between       func(k *kit)
		key           []byte // of the second guard; nil: that of the first
	}
	n := &counter{}
	pay := n.managedPayer("pay.now", byArguments, nil)
	failing := n.managedPayer("pay.now", byArguments, func(context.Context, payInput) error { return errClosed }).MustBuild()
	fails := func(context.Context, payInput) error { return errSecret }
	unclear := n.managedPayer("pay.now", refusing(byArguments), fails).MustBuild()
	type narrowed struct {
		Paid int64 `json:"paid" jsonschema:"maximum=5"`
	}
	seen := map[string]string{}
	for word, c := range map[string]step{
		"dropped": {change: func(store.Key, []byte) []byte { return nil }},
		"resolved": {first: unclear, between: func(k *kit) {
			key := k.log.Events(audit.Terminal)[0].LookupKey
			require.NoError(t, k.guard.ResolveUnknown(as(t.Context(), carol), key, store.Happened))
		}},
		"sealing_key": {key: bytes.Repeat([]byte{2}, 32)},
		"altered": {change: func(_ store.Key, r []byte) []byte {
			r = slices.Clone(r)
			r[len(r)-1] ^= 1
			return r
		}},
		"malformed":     {change: resealed(t, `{"Format":`)},
		"version":       {change: resealed(t, `{"Format":99}`)},
		"content_trust": {second: n.managedPayer("pay.now", byArguments, nil).Trust(trust.PromptInjectionProne).MustBuild()},
		"delimiting":    {second: n.managedPayer("pay.now", byArguments, nil).Delimit(trust.DelimitText).MustBuild()},
		"sanitizing":    {second: n.managedPayer("pay.now", byArguments, nil).Sanitize(trust.SanitizeNever).MustBuild()},
		"failure": {first: failing, second: contract.New("pay.now", func(context.Context, payInput) (payOutput, error) {
			return payOutput{}, nil
		}).From(writing()).Failures(errNoFunds).Idempotency(byArguments).MustBuild()},
		"too_large": {second: n.managedPayer("pay.now", byArguments, nil).MaxResultBytes(3).MustBuild()},
		"unstructured": {first: contract.New("pay.now", func(context.Context, payInput) (string, error) { return "paid", nil }).
			From(writing()).Idempotency(byArguments).MustBuild()},
		"schema": {second: contract.New("pay.now", func(context.Context, payInput) (narrowed, error) { return narrowed{}, nil }).
			From(writing()).Idempotency(byArguments).MustBuild()},
		"unwritable": {first: contract.New("pay.now", func(context.Context, payInput) (contract.Reply[payOutput], error) {
			return contract.Reply[payOutput]{Content: []contract.Content{contract.TextContent{Text: "x",
				Annotations: contract.Annotations{LastModified: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}}}}, nil
		}).From(writing()).Idempotency(byArguments).MustBuild()},
	} {
		t.Run(word, func(t *testing.T) {
			shared := &changing{Memory: newMemory(t)}
			serve := func(tool *contract.Tool, key []byte, log *serverLog) *kit {
				if tool == nil {
					tool = pay.MustBuild()
				}
				return newKit(t, []*contract.Tool{tool}, guard.WithStore(shared), guard.WithSealingKeys(key), log.option())
			}
			first := serve(c.first, lostKey, &serverLog{})
			first.call(alice, "pay.now", validPay)
			require.NoError(t, first.guard.Close(t.Context()))
			if c.between != nil {
				c.between(first)
			}
			shared.change = c.change
			log := &serverLog{}
			if c.key == nil {
				c.key = lostKey
			}
			second := serve(c.second, c.key, log)
			refused(t, second.call(alice, "pay.now", validPay), contract.CodeAlreadyDone, contract.ClassFatal)
			e := second.events(audit.Terminal)[0]
			got, _, _ := strings.Cut(e.Error, ": ")
			assert.Equal(t, word, got)
			lines := slices.DeleteFunc(log.lines(t), func(l logLine) bool { return l.Code == "" }) // about the keys
			require.Len(t, lines, 1)
			assert.Equal(t, []string{"WARN", contract.CodeAlreadyDone, word, e.Error},
				[]string{lines[0].Level, lines[0].Code, lines[0].Reason, lines[0].Error})
			seen[got] = e.Error
		})
	}
	raw, err := os.ReadFile("../docs/troubleshooting.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(raw), "| word | cause | remedy |")
	table, _, _ = strings.Cut(table, "\n\n")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(table, -1) {
		for word := range strings.SplitSeq(row[1], ", ") {
			documented[strings.Trim(word, "`")] = true
		}
	}
	want := map[string]bool{"replay_ended": true} // a test of ReplayUntil has it
	for word := range seen {
		want[word] = true
	}
	assert.Equal(t, want, documented)
}

// The cause of unavailable is in the log once in ten seconds for each reason,
// and then the number of the others.
func TestUnavailable_CauseIsInTheLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, n := &serverLog{}, &counter{}
		down := &failingStore{Memory: newMemory(t)}
		k := newKit(t, []*contract.Tool{n.managedPayer("pay.now", byArguments, nil).MustBuild()}, guard.WithStore(down),
			log.option(), unlimited)
		for range 50 {
			refused(t, k.call(alice, "pay.now", validPay), contract.CodeUnavailable, contract.ClassRetryable)
		}
		lines := log.lines(t)
		require.Len(t, lines, 1)
		assert.Equal(t, "the record of calls cannot be reached", lines[0].Reason)
		assert.Equal(t, "dial tcp: no route to host", lines[0].Error)
		assert.Equal(t, "pay.now", lines[0].Tool)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		lines = log.lines(t)
		require.Len(t, lines, 2)
		assert.Equal(t, 49, lines[1].LeftOut)
		assert.Equal(t, "the record of calls cannot be reached", lines[1].Reason)
		require.NoError(t, k.guard.Close(t.Context()))
		_, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "pay.now", Arguments: json.RawMessage(validPay)})
		require.NoError(t, err)
		assert.Len(t, log.lines(t), 2, "a server that is closing is no fault")
	})
}

// A failingStore cannot be reached.
type failingStore struct{ *store.Memory }

func (*failingStore) Claim(context.Context, store.Claim) (store.ClaimResult, error) {
	return store.ClaimResult{}, errors.New("dial tcp: no route to host")
}
