package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

func brokenCalls() []breach {
	return []breach{
		{"it reads numbers as float64", quirk{call: onRequest(func(r *adapter.Request) {
			var v any
			if json.Unmarshal(r.Arguments, &v) == nil {
				r.Arguments, _ = json.Marshal(v)
			}
		})}, []string{"arguments-integers", "arguments-huge", "arguments-duplicate", "arguments-encoding"}},
		{"it reads arguments without rounding numbers, and writes them again", quirk{call: onRequest(func(r *adapter.Request) {
			d := json.NewDecoder(bytes.NewReader(r.Arguments))
			d.UseNumber()
			var v any
			if d.Decode(&v) == nil {
				r.Arguments, _ = json.Marshal(v)
			}
		})}, []string{"arguments-duplicate", "arguments-encoding"}},
		{"it reads keys in any case", quirk{call: onArguments(func(m map[string]any) bool {
			pay, ok := m["pay"].(map[string]any)
			if ok && pay["AMOUNT"] != nil {
				m["pay"] = map[string]any{"amount": pay["AMOUNT"]}
			}
			return ok && pay["AMOUNT"] != nil
		})}, []string{"arguments-case"}},
		{"absent arguments are an error", quirk{call: onRequest(func(r *adapter.Request) {
			if r.Arguments == nil {
				r.Arguments = json.RawMessage(`"absent"`)
			}
		})}, []string{"arguments-none"}},
		{"arguments that are not an object are none", quirk{call: onRequest(func(r *adapter.Request) {
			var m map[string]any
			if json.Unmarshal(r.Arguments, &m) != nil && json.Valid(r.Arguments) {
				r.Arguments = nil
			}
		})}, []string{"arguments-not-object"}},
		{"it shortens long arguments", quirk{call: onArguments(func(m map[string]any) bool {
			text, ok := m["text"].(string)
			if ok = ok && len(text) == 80; ok {
				m["text"] = "short"
			}
			return ok
		})}, []string{"call-argument-size"}},
		{"it shortens long numbers", quirk{call: onRequest(func(r *adapter.Request) {
			if len(r.Arguments) > 100_000 {
				r.Arguments = json.RawMessage(`{"n":9}`)
			}
		})}, []string{"arguments-huge"}},
		{"it drops unknown arguments", quirk{call: onArguments(without("more"))}, []string{"arguments-violations"}},
		{"it drops the request for a dry run", quirk{call: onArguments(without("dryRun"))}, []string{"dryrun-preview",
			"dryrun-required"}},
		{"it drops the token of a dry run", quirk{call: onArguments(without("dryRunToken"))}, []string{"dryrun-required"}},
		{"it drops tasks", quirk{call: onRequest(func(r *adapter.Request) { r.Task = false })}, []string{"task-refused"}},
		{"it drops the idempotency key",
			quirk{call: onRequest(func(r *adapter.Request) { delete(r.Meta, contract.MetaKeyIdempotencyKey) })}, []string{"key-replay",
				"key-conflict", "key-invalid", "key-required", "key-ignored"}},
		{"it drops invalid idempotency keys", quirk{call: onRequest(func(r *adapter.Request) {
			if key, ok := r.Meta[contract.MetaKeyIdempotencyKey].(string); !ok || strings.ContainsAny(key, "\x00ä") || key == "" {
				delete(r.Meta, contract.MetaKeyIdempotencyKey)
			}
		})}, []string{"key-invalid"}},
		{"it replays without the guard", quirk{call: func() func(next callFunc) callFunc {
			return func(next callFunc) callFunc {
				var mu sync.Mutex
				replays := map[string]*adapter.CallResult{}
				return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
					key, ok := r.Meta[contract.MetaKeyIdempotencyKey].(string)
					mu.Lock()
					replay := replays[key]
					mu.Unlock()
					if ok && replay != nil {
						return replay, nil
					}
					a, err := next(ctx, e, r)
					mu.Lock()
					defer mu.Unlock()
					if ok && err == nil {
						replays[key] = a
					}
					return a, err
				}
			}
		}()}, []string{"key-replay", "key-failure", "key-conflict", "key-revoked"}},
		{"it calls again what failed", quirk{call: func(next callFunc) callFunc {
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				a, err := next(ctx, e, r)
				if err == nil && a.IsError && a.Outcome.Class == contract.ClassRetryable {
					return next(ctx, e, r)
				}
				return a, err
			}
		}}, []string{"audit-terminal"}},
		{"it runs one call at a time", quirk{call: func(next callFunc) callFunc {
			slot := make(chan struct{}, 1)
			return func(ctx context.Context, e *adapter.Entry, r adapter.Request) (*adapter.CallResult, error) {
				slot <- struct{}{}
				defer func() { <-slot }()
				return next(ctx, e, r)
			}
		}}, []string{"call-concurrent", "confirm-open", "end-answers"}},
		{"it runs handlers on its own goroutine", quirk{call: onRequest(func(r *adapter.Request) { r.Isolate = false })},
			[]string{"failure-goexit", "end-close"}},
		{"it drops progress", quirk{call: onRequest(func(r *adapter.Request) { r.Progress = nil })}, []string{"progress-sent"}},
		{"it changes the token of progress", quirk{out: func(m map[string]any) bool {
			if m["method"] == adapter.MethodProgress {
				at(m, "params")["progressToken"] = fmt.Sprint(at(m, "params")["progressToken"])
			}
			return true
		}}, []string{"progress-sent"}},
		{"it loses the text of progress", quirk{out: func(m map[string]any) bool {
			if m["method"] == adapter.MethodProgress {
				delete(at(m, "params"), "message")
			}
			return true
		}}, []string{"progress-sent"}},
		{"it sends progress to every client", quirk{in: func(m map[string]any, raw string) string {
			if m["method"] == "tools/call" && at(m, "params")["_meta"] == nil {
				return strings.Replace(raw, `"params":{`, `"params":{"_meta":{"progressToken":"own"},`, 1)
			}
			return raw
		}}, []string{"progress-unasked"}},
		{"it sends 0 for numbers that JSON does not have", quirk{call: onRequest(func(r *adapter.Request) {
			finite := func(f float64) float64 {
				if math.IsInf(f, 0) || math.IsNaN(f) {
					return 0
				}
				return f
			}
			if send := r.Progress; send != nil {
				r.Progress = func(done, total float64, note string) { send(finite(done), finite(total), note) }
			}
		})}, []string{"progress-numbers"}},
		{"it waits for a client that does not read", quirk{patience: time.Second, call: onRequest(func(r *adapter.Request) {
			if send := r.Progress; send != nil {
				n := 0
				r.Progress = func(done, total float64, note string) {
					if n++; n == 1000 {
						time.Sleep(2 * time.Second)
					}
					send(done, total, note)
				}
			}
		})}, []string{"progress-unread"}},
	}
}
