package sdks_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/belt"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// oddTools are tools that the SDKs serve and of which some cannot have a
// contract.
func oddTools() map[string]definition {
	tools := map[string]definition{}
	add := func(name string, change func(*definition)) {
		d := plain(name)
		change(&d)
		tools[name] = d
	}
	add("plain", func(*definition) {})
	add("hints", func(d *definition) { d.readOnly, d.open, d.title = new(true), new(false), "Reads" })
	add("hidden", func(d *definition) { d.description = "Reads\u200b a thing" })
	add("undescribed", func(d *definition) { d.description = "" })
	add("repos/list", func(*definition) {})
	add("recursive", func(d *definition) {
		d.input = `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},` +
			`"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`
	})
	add("draft7", func(d *definition) {
		d.input = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
			`"properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`
	})
	add("pattern", func(d *definition) {
		d.input = `{"type":"object","properties":{"a":{"type":"string","pattern":"^(?=x)"}}}`
	})
	add("adorned", func(d *definition) {
		d.icon, d.meta = "https://example.com/i.png", map[string]any{"example.com/a": "b"}
	})
	add("typed", func(d *definition) {
		d.input = `{"type":"object","properties":{"page":{"type":"integer"}},"required":["page"]}`
		d.output = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	})
	return tools
}

// twins serves two servers with the same tools. The second is protected.
func twins(t *testing.T, s sdk, tools map[string]definition, h handler, opts ...belt.Settings) (bare, protected *kit) {
	t.Helper()
	serve := func() server {
		o := s.Existing("twin", "", 0)
		for name, d := range tools {
			if name == d.name {
				o.AddTool(d, h)
			}
		}
		return o
	}
	bare = newKitOf(t, s, serve())
	o := serve()
	protected = newKitOf(t, s, o)
	protect(t, protected, opts...)
	return bare, protected
}

func protect(t *testing.T, k *kit, opts ...belt.Settings) {
	t.Helper()
	_, err := k.server.Protect(append([]belt.Settings{{Guard: k.guard}}, opts...)...)
	require.NoError(t, err)
}

// protectedKit serves a protected server with one tool.
func protectedKit(t *testing.T, s sdk, d definition, h handler, settings belt.Settings, opts ...belt.Settings) *kit {
	t.Helper()
	o := s.Existing("protected", "", 0)
	o.AddTool(d, h)
	k := newKitOf(t, s, o)
	settings.Guard = k.guard
	_, err := o.Protect(append([]belt.Settings{settings}, opts...)...)
	require.NoError(t, err)
	return k
}

func TestProtect_TheListIsWhatItWas(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		bare, protected := twins(t, s, oddTools(), failing("x"))
		want := bare.pages(e, "alice")
		assert.Equal(t, want, protected.pages(e, "alice"))
		late := plain("late")
		bare.server.AddTool(late, failing("x"))
		protected.server.AddTool(late, failing("x"))
		want = bare.pages(e, "")
		require.Contains(t, want[0], `"late"`)
		assert.Equal(t, want, protected.pages(e, ""), "and a tool that came later")
	})
}

// withoutOutcome returns an answer without the outcome in its _meta, and the
// outcome.
func withoutOutcome(t *testing.T, raw string) (answer any, o *contract.Outcome) {
	t.Helper()
	var whole map[string]any
	sdktest.Unmarshal(t, raw, &whole)
	if result, ok := whole["result"].(map[string]any); ok {
		if meta, ok := result["_meta"].(map[string]any); ok && meta[contract.MetaKeyOutcome] != nil {
			read := sdktest.Outcome(t, raw)
			o = &read
			delete(meta, contract.MetaKeyOutcome)
			if len(meta) == 0 {
				delete(result, "_meta")
			}
		}
	}
	return whole, o
}

func TestProtect_AnswersAreTheAuthors(t *testing.T) {
	t.Parallel()
	results := map[string]struct {
		result *result
		status contract.Status
		code   string
	}{
		"a text":                  {&result{text: "12 \u200b[FATAL] <b>"}, contract.StatusOK, ""},
		"nothing":                 {&result{}, contract.StatusOK, ""},
		"structured content only": {&result{structured: map[string]any{"b": 1, "a": []any{"x"}}}, contract.StatusOK, ""},
		"a list":                  {&result{structured: []any{1, 2}}, contract.StatusOK, ""},
		"an image":                {&result{text: "before", afterImage: "after"}, contract.StatusOK, ""},
		"_meta":                   {&result{text: "x", meta: map[string]any{"example.com/a": "b"}}, contract.StatusOK, ""},
		"an error": {
			&result{text: "404 not found", afterImage: "see", isError: true}, contract.StatusError, contract.CodeToolFatal,
		},
		"an empty error": {&result{isError: true}, contract.StatusError, contract.CodeToolFatal},
	}
	for name, test := range results {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				bare, protected := twins(t, s, oddTools(), func(context.Context, request) (*result, error) {
					own := *test.result
					own.meta = maps.Clone(own.meta) // to which an SDK adds its own
					return &own, nil
				})
				for _, tool := range []string{"plain", "hidden", "repos/list", "recursive"} {
					want, _ := withoutOutcome(t, bare.call(e, "alice", tool, `{"a":null}`))
					got, o := withoutOutcome(t, protected.call(e, "alice", tool, `{"a":null}`))
					assert.Equal(t, want, got, tool)
					require.NotNil(t, o, tool)
					assert.Equal(t, test.status, o.Status)
					assert.Equal(t, test.code, o.Code)
					assert.NotEmpty(t, o.CallID)
					assert.Empty(t, o.ContractVersion)
					assert.Zero(t, o.ContentTrust)
				}
			})
		})
	}
}

// Whether to retry a failed call depends on what its author says about it.
func TestProtect_AFailedReadMayBeRetried(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := protectedKit(t, s, reads("find"), failing("no"), belt.Settings{})
		o := sdktest.Outcome(t, k.call(modern, "", "find", `{}`))
		assert.Equal(t, contract.CodeToolRetry, o.Code)
		assert.Equal(t, contract.ClassRetryable, o.Class)
	})
}

func TestThreat227_AHandlerThatBreaksEndsOnlyItsCall(t *testing.T) {
	t.Parallel()
	const secret = "pq://user:hunter2@db"
	for name, h := range map[string]handler{
		"a panic": func(context.Context, request) (*result, error) { panic(secret) },
		"a Goexit": func(context.Context, request) (*result, error) {
			runtime.Goexit()
			return nil, nil
		},
		"an error":  func(context.Context, request) (*result, error) { return nil, errors.New(secret) },
		"no result": func(context.Context, request) (*result, error) { return nil, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				k := protectedKit(t, s, plain("run"), h, belt.Settings{})
				for range 2 {
					raw := k.call(e, "alice", "run", `{}`)
					sdktest.AssertRefused(t, raw, contract.CodeInternalError)
					assert.NotContains(t, raw, "hunter2")
					assert.NotContains(t, raw, strings.TrimSpace(effectLine), "nobody declared an effect")
				}
			})
		})
	}
}

// A masked error may have said what is wrong with the arguments.
func TestProtect_AMaskedErrorSaysWhichArgumentsDoNotFit(t *testing.T) {
	t.Parallel()
	d := plain("read")
	d.input = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`
	eachSDK(t, func(t *testing.T, s sdk) {
		k := protectedKit(t, s, d, func(context.Context, request) (*result, error) {
			return nil, errors.New("path: hunter2")
		}, belt.Settings{})
		raw := k.call(modern, "alice", "read", `{"path":7}`)
		sdktest.AssertRefused(t, raw, contract.CodeInternalError)
		o := sdktest.Outcome(t, raw)
		require.Len(t, o.Violations, 1)
		assert.Equal(t, "/path", o.Violations[0].Pointer)
		assert.Contains(t, firstText(t, raw), "/path")
		assert.NotContains(t, raw, "hunter2")
	})
}

func TestProtect_EveryCallIsOneEvent(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := protectedKit(t, s, plain("run"), failing("x"), belt.Settings{})
		k.call(modern, "alice", "run", `{}`)
		k.call(legacy, "", "run", `{}`)
		events := k.events(audit.Terminal)
		require.Len(t, events, 2)
		slices.SortFunc(events, func(a, b audit.Event) int { return strings.Compare(a.Principal, b.Principal) })
		for i, e := range events {
			assert.Equal(t, "run", e.Tool)
			assert.Equal(t, audit.Allow, e.Decision)
			assert.Equal(t, contract.CodeToolFatal, e.Code)
			assert.Equal(t, []string{"", "alice"}[i], e.Principal)
			assert.Empty(t, e.Version+e.ContractDigest)
			assert.Zero(t, e.Risk)
			assert.Zero(t, e.Effect)
			assert.NotEmpty(t, e.ArgumentsDigest)
		}
		assert.Empty(t, k.log.Events(audit.Intent))
	})
}

func TestThreat229_ACallHasATimeLimit(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		ended := make(chan error, 1)
		k := protectedKit(t, s, plain("wait"), func(ctx context.Context, _ request) (*result, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		}, belt.Settings{Timeouts: map[string]time.Duration{"wait": 50 * time.Millisecond}})
		o := sdktest.Outcome(t, k.call(e, "alice", "wait", `{}`))
		assert.Equal(t, contract.CodeTimeout, o.Code)
		assert.Equal(t, contract.ClassFatal, o.Class)
		require.Error(t, <-ended)
	})
}

// A person may take longer to answer than a tool may take to work.
func TestThreat229_APersonsAnswerDoesNotCountInTheTime(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	eachSDK(t, func(t *testing.T, s sdk) {
		k := protectedKit(t, s, plain("ask"), func(ctx context.Context, r request) (*result, error) {
			a, err := r.ask(ctx, form{message: "Sure?"})
			if err != nil {
				return nil, err
			}
			return &result{text: a.action}, nil
		}, belt.Settings{Timeout: limit})
		slow := &person{forms: true, answer: func(ctx context.Context, _ question) answer {
			select {
			case <-time.After(limit + limit/2):
			case <-ctx.Done():
			}
			return answer{action: "accept", content: map[string]any{}}
		}}
		raw, err := k.client(legacy, "alice", slow).Call(t.Context(), "ask", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status, raw)
	})
}

func TestProtect_BoundsArgumentsAndResults(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var runs atomic.Int64
		k := protectedKit(t, s, plain("run"), func(context.Context, request) (*result, error) {
			runs.Add(1)
			return &result{text: strings.Repeat("x", 300)}, nil
		}, belt.Settings{ArgumentBytes: 100, ResultBytes: 200})
		raw := k.call(e, "alice", "run", `{"a":"`+strings.Repeat("x", 100)+`"}`)
		sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
		assert.Zero(t, runs.Load())
		sdktest.AssertRefused(t, k.call(e, "alice", "run", `{}`), contract.CodeResultTooLarge)
		assert.Equal(t, int64(1), runs.Load())
	})
}

// One caller's flood does not use up the limits of another.
func TestThreat228_LimitsAreACallersOwn(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := protectedKit(t, s, plain("run"), failing("x"), belt.Settings{Calls: 2, Per: time.Hour})
		status := func(e era, token string) string { return sdktest.Outcome(t, k.call(e, token, "run", `{}`)).Code }
		for _, token := range []string{"alice", "bob"} {
			assert.Equal(t, contract.CodeToolFatal, status(modern, token))
			assert.Equal(t, contract.CodeToolFatal, status(modern, token))
			o := sdktest.Outcome(t, k.call(modern, token, "run", `{}`))
			assert.Equal(t, contract.CodeRateLimitExceeded, o.Code)
			assert.Equal(t, contract.ClassRetryable, o.Class)
			assert.Positive(t, o.RetryAfterMs)
		}
		stranger := func() client { return k.client(legacy, "", nil) }
		one, other := stranger(), stranger()
		for range 2 {
			_, err := one.Call(t.Context(), "run", map[string]any{})
			require.NoError(t, err)
		}
		raw, err := one.Call(t.Context(), "run", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeRateLimitExceeded, sdktest.Outcome(t, raw).Code)
		raw, err = other.Call(t.Context(), "run", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeToolFatal, sdktest.Outcome(t, raw).Code, "another session has a limit of its own")
	})
}

func TestProtect_ACallerRunsOnlySoManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		started, free := make(chan struct{}, 2), make(chan struct{})
		k := protectedKit(t, s, plain("run"), func(context.Context, request) (*result, error) {
			started <- struct{}{}
			<-free
			return &result{text: "done"}, nil
		}, belt.Settings{Concurrent: 1})
		answers := make(chan string, 2)
		for _, token := range []string{"alice", "bob"} {
			go func() { answers <- k.call(modern, token, "run", `{}`) }()
			<-started
		}
		sdktest.AssertRefused(t, k.call(modern, "alice", "run", `{}`), contract.CodeUnavailable)
		close(free)
		for range 2 {
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, <-answers).Status)
		}
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(modern, "alice", "run", `{}`)).Status)
	})
}

// Callers that nobody knows are told apart by their sessions here too.
func TestThreat228_AStrangerLeavesTheSlotsOfOthers(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		started, free := make(chan struct{}, 2), make(chan struct{})
		k := protectedKit(t, s, plain("run"), func(context.Context, request) (*result, error) {
			started <- struct{}{}
			<-free
			return &result{text: "done"}, nil
		}, belt.Settings{Concurrent: 1})
		answers := make(chan string, 2)
		for range 2 {
			c := k.client(legacy, "", nil)
			go func() {
				raw, err := c.Call(t.Context(), "run", map[string]any{})
				assert.NoError(t, err)
				answers <- raw
			}()
			select {
			case <-started:
			case raw := <-answers:
				close(free)
				t.Fatal(raw)
			}
		}
		close(free)
		for range 2 {
			assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, <-answers).Status)
		}
	})
}

// Threats 12, 14 and 128, which are only reported at first.
func TestProtect_WhatDoesNotFitIsReportedUntilItIsStrict(t *testing.T) {
	t.Parallel()
	d := plain("pay")
	d.input = `{"type":"object","properties":{"amount":{"type":"integer","maximum":10}}}`
	for _, arguments := range []string{`{"amount":"1"}`, `{"amount":11}`, `{"amount":1,"AMOUNT":99}`, `{"amount":1,"amount":99}`} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				got := make(chan string, 1)
				h := func(_ context.Context, r request) (*result, error) {
					got <- r.arguments
					return &result{text: "paid", meta: map[string]any{"io.modelcontextprotocol/x": 1, "example.com/y": 2}}, nil
				}
				k := protectedKit(t, s, d, h, belt.Settings{})
				raw := k.call(e, "alice", "pay", arguments)
				o := sdktest.Outcome(t, raw)
				assert.Equal(t, contract.StatusOK, o.Status, raw)
				assert.NotEmpty(t, o.Violations)
				assert.JSONEq(t, arguments, <-got)
				assert.Contains(t, raw, "io.modelcontextprotocol/x")
				events := k.events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, []string{"inputSchema"}, events[0].AuditOnly)

				k = protectedKit(t, s, d, h, belt.Settings{}, belt.Strict())
				sdktest.AssertRefused(t, k.call(e, "alice", "pay", arguments), contract.CodeInvalidInput)
				assert.Empty(t, got, "the handler did not run")
				raw = k.call(e, "alice", "pay", `{"amount":1}`)
				assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
				assert.NotContains(t, raw, "io.modelcontextprotocol/x")
				assert.Contains(t, raw, "example.com/y")
				<-got
			})
		})
	}
}

func TestProtect_AResultThatDoesNotFitIsReportedUntilItIsStrict(t *testing.T) {
	t.Parallel()
	d := plain("count")
	d.output = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	h := func(context.Context, request) (*result, error) {
		return &result{text: "many", structured: map[string]any{"n": "many"}}, nil
	}
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := protectedKit(t, s, d, h, belt.Settings{})
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, k.call(e, "alice", "count", `{}`)).Status)
		events := k.events(audit.Terminal)
		require.Len(t, events, 1)
		assert.Equal(t, []string{"outputSchema"}, events[0].AuditOnly)
		k = protectedKit(t, s, d, h, belt.Settings{}, belt.Strict())
		sdktest.AssertRefused(t, k.call(e, "alice", "count", `{}`), contract.CodeOutputInvalid)
		k = protectedKit(t, s, d, func(context.Context, request) (*result, error) {
			return &result{text: "404", structured: map[string]any{"n": "many"}, isError: true}, nil
		}, belt.Settings{}, belt.Strict())
		assert.Equal(t, "404", firstText(t, k.call(e, "alice", "count", `{}`)), "an error has no result to fit")
	})
}

// A tool that is added again is checked against its new schemas.
func TestProtect_AToolThatIsReplacedHasItsNewSchemas(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		k := newKitOf(t, s, s.Existing("versions", "", 0))
		protect(t, k, belt.Strict(), belt.Settings{Guard: k.guard})
		add := func(input, output string) {
			d := plain("run")
			d.input, d.output = input, output
			k.server.AddTool(d, func(context.Context, request) (*result, error) {
				return &result{text: "1", structured: map[string]any{"n": 1}}, nil
			})
		}
		code := func() string { return sdktest.Outcome(t, k.call(modern, "alice", "run", `{"a":1}`)).Code }
		const open, text = `{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"string"}}}`
		add(open, "")
		assert.Empty(t, code())
		add(text, "")
		assert.Equal(t, contract.CodeInvalidInput, code())
		add(open, text)
		assert.Equal(t, contract.CodeOutputInvalid, code())
		add(open, "")
		assert.Empty(t, code())
	})
}

// Whoever the guard does not know may call a tool that has no contract.
func TestProtect_AnUnknownCallerMayCall(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		g, log := newGuard(t, s, guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) {
			return guard.Principal{}, errors.New("no database")
		})))
		o := s.Existing("unknown", "", 0)
		o.AddTool(plain("run"), failing("404"))
		k := newKitOf(t, s, o)
		_, err := o.Protect(belt.Settings{Guard: g})
		require.NoError(t, err)
		assert.Equal(t, contract.CodeToolFatal, sdktest.Outcome(t, k.call(e, "", "run", `{}`)).Code)
		require.NoError(t, g.Close(context.WithoutCancel(t.Context())))
		events := log.Events(audit.Terminal)
		require.Len(t, events, 1)
		assert.Contains(t, events[0].Error, "no database", "the log says why nobody is known")
	})
}

func TestProtect_AToolWithAContractKeepsIt(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]func(k *kit, with options) error{
		"before": func(k *kit, with options) error {
			protect(k.t, k)
			return k.server.Register(k.guard, with)
		},
		"after": func(k *kit, with options) error {
			err := k.server.Register(k.guard, with)
			protect(k.t, k)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				o := s.Existing("mixed", "", 0)
				o.AddTool(plain("old"), failing("404"))
				k := newKitOf(t, s, o)
				n := &tools{}
				require.NoError(t, order(k, asWritten(n.All()...)))
				for range 2 {
					raw := k.call(e, "alice", "old", `{}`)
					assert.Equal(t, contract.CodeToolFatal, sdktest.Outcome(t, raw).Code)
					assert.NotContains(t, raw, "[FATAL]")
					raw = k.call(e, "alice", "calc.add", `{"a":1,"b":2}`)
					assert.Equal(t, "1.2.3", sdktest.Outcome(t, raw).ContractVersion, raw)
				}
				sdktest.AssertRefused(t, k.call(e, "alice", "calc.add", `{"a":"x"}`), contract.CodeInvalidInput)
				assert.Len(t, k.events(audit.Terminal), 5, "one event a call")
			})
		})
	}
}

// The sinks of a server that nobody declared anything about may fail.
func TestProtect_AFailingSinkRefusesNothing(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		g, err := guard.New(guard.WithAudit(audit.Func(func(context.Context, audit.Event) error { return errors.New("disk full") })))
		require.NoError(t, err)
		o := s.Existing("full", "", 0)
		o.AddTool(plain("run"), failing("x"))
		k := newKitOf(t, s, o)
		_, err = o.Protect(belt.Settings{Guard: g})
		require.NoError(t, err)
		for range 5 {
			assert.Equal(t, contract.CodeToolFatal, sdktest.Outcome(t, k.call(modern, "alice", "run", `{}`)).Code)
		}
		_ = g.Close(t.Context())
	})
}

func TestProtect_ARequestToOpenAPagePasses(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		open := s.PageRequired(question{message: "Sign in.", url: "https://example.com/in", id: "7"})
		bare, protected := twins(t, s, map[string]definition{"run": plain("run")}, func(context.Context, request) (*result, error) {
			return nil, open
		})
		want := bare.call(legacy, "alice", "run", `{}`)
		require.Contains(t, want, "-32042")
		assert.JSONEq(t, want, protected.call(legacy, "alice", "run", `{}`))
		events := protected.events(audit.Terminal)
		require.Len(t, events, 1)
		assert.Equal(t, contract.StatusError.String(), events[0].Status)
	})
}

func TestProtect_ARequestForInputPasses(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		k := protectedKit(t, s, plain("run"), func(_ context.Context, r request) (*result, error) {
			if a := r.response("size"); a != nil {
				return &result{text: a.action + " " + r.state}, nil
			}
			return &result{state: "kept", asks: map[string]form{"size": {message: "Size?", fields: map[string]string{"n": "string"}}}}, nil
		}, belt.Settings{})
		raw, err := k.client(e, "alice", whoAgrees()).Call(t.Context(), "run", map[string]any{})
		require.NoError(t, err)
		assert.Contains(t, raw, "accept kept")
		if e == modern { // in the older versions, no result asks
			assert.Equal(t, contract.StatusAsked, sdktest.Outcome(t, k.call(e, "alice", "run", `{}`)).Status)
		}
	})
}

func TestProtect_MistakesAreErrors(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for name, opts := range map[string][]belt.Settings{
			"timeout":    {belt.Settings{Timeout: -1}},
			"calls":      {belt.Settings{Calls: -1, Per: 1}},
			"per":        {belt.Settings{Calls: 1, Per: -1}},
			"concurrent": {belt.Settings{Concurrent: -1}},
			"arguments":  {belt.Settings{ArgumentBytes: -1}},
			"result":     {belt.Settings{ResultBytes: -1}},
			"half":       {belt.Settings{Calls: 1}},
			"no time":    {belt.Settings{Timeouts: map[string]time.Duration{"run": 0}}},
		} {
			_, err := s.Existing("x", "", 0).Protect(opts...)
			assert.Equal(t, []string{"serve.belt"}, sdktest.Rules(err), name)
		}
		_, err := s.Nil().Protect()
		assert.Equal(t, []string{"serve.server"}, sdktest.Rules(err))
		o := s.Existing("x", "", 0)
		_, err = o.Protect()
		require.NoError(t, err)
		_, err = o.Protect()
		assert.Equal(t, []string{"serve.protected"}, sdktest.Rules(err))
	})
}

func TestProtect_ReportsWhatAContractWouldBring(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		o := s.Existing("odd", "", 0)
		for _, d := range oddTools() {
			o.AddTool(d, failing("x"))
		}
		report, err := o.Protect()
		require.NoError(t, err)
		require.Len(t, report.Tools, len(oddTools()))
		for _, tool := range report.Tools {
			assert.NotEmpty(t, tool.Next, tool.Name)
			assert.Nil(t, tool.Contract)
		}
		assert.Contains(t, report.String(), "none: protected")
		assert.True(t, slices.IsSortedFunc(report.Tools, func(a, b wrap.Tool) int { return strings.Compare(a.Name, b.Name) }))
	})
}
