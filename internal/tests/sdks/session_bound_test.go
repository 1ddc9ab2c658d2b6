package sdks_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/adapter/wrap"
	agent "github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// sharing is a change that can be undone, and that nobody confirms.
func sharing(name string) *contract.Builder[empty, string] {
	return contract.New(name, func(context.Context, empty) (string, error) { return "shared", nil }).
		Description("Shares a file.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		SideEffects(contract.SideEffect{Description: "The link is open.", Reach: contract.External, Undo: contract.Reversible}).
		Permissions("notes:write")
}

// A gateway adds up the calls of both its servers: one with contracts, and one
// known only by its hints.
func TestSessionBound_AGatewaySumsUpTheCallsOfItsServers(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		files := newKit(t, s, options{Config: adapter.Config{Tools: []*contract.Tool{sharing("files.share").MustBuild()},
			Tier: contract.TierFull}})
		notes := s.Existing("notes", "", 0)
		note := plain("add_note")
		note.readOnly, note.destructive, note.open = new(false), new(false), new(false)
		notes.AddTool(note, saying("added"))
		behind := newKitOf(t, s, notes)

		front := newKit(t, s, options{}, guard.WithSessionBound(risk.Chain{Irreversible: 1}))
		gw, err := gateway.New([]gateway.Upstream{
			{Name: "files", Client: agent.New(agent.HTTP{URL: files.url, Header: http.Header{"Authorization": {"Bearer alice"}}})},
			{Name: "notes", Client: agent.New(agent.HTTP{URL: behind.url})},
		}, func(tools []*contract.Tool) error { return front.server.Replace(tools...) },
			gateway.Options{Base: contract.Base{Permissions: []string{"notes:write"}}})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, gw.Close()) })
		_, err = gw.Refresh(t.Context())
		require.NoError(t, err)

		p := whoAgrees()
		c := front.client(e, "alice", p)
		call := func(c client, tool string) string {
			raw, err := c.Call(t.Context(), tool, empty{})
			require.NoError(t, err)
			return firstText(t, raw)
		}
		call(c, "files_share")
		require.Zero(t, p.asked.Load())
		call(c, "add_note")
		require.EqualValues(t, 1, p.asked.Load(), "its own contract asks")
		assert.Contains(t, p.last.Load().message,
			"\nSo far in this session: 1 call, changes can be undone, some only with help from outside, highest risk medium.\n")
		call(front.client(e, "alice", p), "files_share")
		require.EqualValues(t, 2, p.asked.Load(), "another session of the same principal")
		assert.Contains(t, p.last.Load().message, "\nSo far in this session: 2 calls, 1 that cannot be undone, highest risk high.\n")
		sdktest.AssertRefused(t, front.call(e, "alice", "files_share", `{}`), contract.CodeConfirmationRequired)
	})
}

// A tool that may ask because of the bound is listed that way, in each tier.
func TestSessionBound_IsInTheListedContract(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for name, c := range map[string]struct {
			bound      risk.Chain
			want       string
			autonomous bool
		}{
			"a bound": {risk.Chain{Irreversible: 2}, "when", false},
			"zero":    {risk.Chain{}, "never", true},
		} {
			for _, with := range []options{serving(sharing("files.share").MustBuild(), wordTool("word.get", "a").MustBuild()),
				asWritten(sharing("files.share").MustBuild(), wordTool("word.get", "a").MustBuild())} {
				k := newKit(t, s, with, guard.WithSessionBound(c.bound))
				tools, order := k.list(e, "alice")
				for i, want := range []struct {
					confirmation string
					autonomous   bool
				}{{c.want, c.autonomous}, {"never", true}} {
					var listed struct {
						Meta map[string]struct {
							Confirmation string
							Autonomous   bool
						} `json:"_meta"`
					}
					sdktest.Unmarshal(t, tools[order[i]], &listed)
					got := listed.Meta[contract.MetaKeyContract]
					assert.Equal(t, want.confirmation, got.Confirmation, "%s: %s", name, order[i])
					assert.Equal(t, want.autonomous, got.Autonomous, "%s: %s", name, order[i])
				}
			}
		}
	})
}

// All rounds of a handler that asks are one call of the session, and the first
// round decides about the bound.
func TestSessionBound_TheRoundsOfAHandlerAreOneCall(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var prompts []string
		h, p := &sender{}, recipient(&prompts, toRome)
		k := newKit(t, s, asWritten(h.tool().MustBuild(), wordTool("word.get", "a").MustBuild()),
			guard.WithSessionBound(risk.Chain{Calls: 2}))
		c := k.client(e, "alice", p)
		answers := p.answer
		p.answer = func(ctx context.Context, q question) answer {
			firstText(t, k.call(e, "alice", "word.get", `{}`)) // the bound is reached between two rounds
			return answers(ctx, q)
		}
		_, err := c.Call(t.Context(), "parcels.send", parcel{ID: "p1"})
		require.NoError(t, err)
		assert.EqualValues(t, 1, h.sent.Load())
		assert.EqualValues(t, 1, p.asked.Load(), "only the tool has asked")
		var asked string
		p.answer = func(ctx context.Context, q question) answer {
			if asked == "" {
				asked = q.message
			}
			return answers(ctx, q)
		}
		_, err = c.Call(t.Context(), "parcels.send", parcel{ID: "p2"})
		require.NoError(t, err)
		assert.EqualValues(t, 2, h.sent.Load())
		assert.Contains(t, asked, "\nSo far in this session: 2 calls, 1 that cannot be undone, highest risk medium.\n")
	})
}

// The guard can't know whether a wrapped server has asked a person, so it asks
// too. An approval answers the server's own question if the tool says so.
func TestSessionBound_TheGuardAsksBesideAWrappedServer(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		for name, c := range map[string]struct {
			bound risk.Chain
			opts  []wrap.Option
			asked int64
		}{
			"below the bound":        {risk.Chain{Irreversible: 2}, nil, 1},
			"at the bound":           {risk.Chain{Irreversible: 1}, nil, 2},
			"at the bound, answered": {risk.Chain{Irreversible: 1}, []wrap.Option{wrap.WithAnsweredConfirmation()}, 1},
		} {
			tool := s.Wrap(plain("drop"), ownQuestions["by result"](asking("")), append(c.opts, wrap.WithRounds(2))...).
				From(writing(contract.ConfirmationUpstream)).MustBuild()
			k := newKit(t, s, asWritten(tool), guard.WithSessionBound(c.bound))
			p := whoAgrees()
			raw, err := k.client(e, "alice", p).Call(t.Context(), "drop", nil)
			require.NoError(t, err, name)
			assert.Equal(t, "dropped", firstText(t, raw), name)
			assert.Equal(t, c.asked, p.asked.Load(), name)
		}
	})
}
