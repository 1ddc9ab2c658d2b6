package main

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// serveDesk serves tools that write without asking anybody. ran counts their
// effects.
func serveDesk(t *testing.T, ran *atomic.Int32, tier mcpgo.Option) (url string) {
	t.Helper()
	closed := contract.Retryable("desk_closed", "The desk is closed.")
	jam := contract.Retryable("printer_jam", "The printer jammed.").EffectPossible()
	run := func(_ context.Context, in noteIn) (noteOut, error) {
		ran.Add(1)
		if in.ID == "jam" {
			return noteOut{}, jam
		}
		return noteOut(in), nil
	}
	write := func(name string) *contract.Builder[noteIn, noteOut] {
		return contract.New(name, run).Title("Write").Description("Writes a note at the desk.").Version("1.0.0").
			Effect(risk.LowRiskWrite).Trust(trust.Trusted).NoPermissions("The desk is open to all.").
			Failures(closed, jam).
			Precheck(func(_ context.Context, in noteIn) error {
				switch in.ID {
				case "closed":
					return closed
				case "jammed":
					return jam
				case "panic":
					panic("no")
				}
				return nil
			})
	}
	g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(func(context.Context, string) (guard.Principal, error) {
		return guard.Principal{Issuer: "login", Subject: "anna"}, nil
	})), guard.WithAudit(new(audit.Recorder)))
	require.NoError(t, err)
	s, err := mcpgo.NewServer("desk", "1.0.0", g, tier, mcpgo.WithTools(
		write("desk.stamp").MustBuild(),
		write("desk.reserve").Aliases("desk.book").
			Deprecated(contract.Deprecation{Since: "1.0.0", ReplacedBy: "desk.hold", Note: "It is slow."}).
			Idempotency(contract.Idempotency{Mode: idempotency.Managed, ClientKey: true}).MustBuild(),
		write("desk.hold").Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild(),
	))
	require.NoError(t, err)
	h, err := mcpgo.HandlerOf(s)
	require.NoError(t, err)
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return web.URL + "/mcp"
}

// tiers are the detail of contracts that a list of tools can have.
var tiers = map[string]mcpgo.Option{"summary": mcpgo.WithTier(contract.TierSummary), "full": mcpgo.WithTier(contract.TierFull)}

func TestCall_NamesAKeyOnlyIfTheToolTakesOne(t *testing.T) {
	t.Parallel()
	for tier, option := range tiers {
		var ran atomic.Int32
		line := []string{"call", "-header", "Authorization: Bearer anna", serveDesk(t, &ran, option)}
		for tool, takes := range map[string]bool{"desk_stamp": false, "desk_hold": false, "desk_reserve": true} {
			for _, key := range []string{"", "k1"} {
				var found called
				assert.Equal(t, cli.OK, runJSON(t, &found, append(line, "-key", key, tool, "id=1"+key)...), tool)
				assert.Equal(t, takes, found.Key != "", "%s, %s", tier, tool)
				_, _, stderr := runCommand(t, append(line, "-key", key, tool, "id=1"+key)...)
				assert.Equal(t, takes, strings.Contains(stderr, "repeats the call"), stderr)
			}
			var found called
			assert.Equal(t, cli.Bad, runJSON(t, &found, append(line, tool, "id=jam")...))
			assert.Equal(t, takes, strings.Contains(found.Advice, "-key"), "%s, %s: %s", tier, tool, found.Advice)
			assert.True(t, found.EffectPossible)
		}
		before := ran.Load()
		var first, again called
		assert.Equal(t, cli.OK, runJSON(t, &first, append(line, "desk_reserve", "id=3")...))
		assert.Equal(t, cli.OK, runJSON(t, &again, append(line, "-key", first.Key, "desk_reserve", "id=3")...))
		assert.Equal(t, "replayed", again.Status)
		assert.Equal(t, before+1, ran.Load())
	}
	var found called
	assert.Equal(t, cli.OK, runJSON(t, &found, "call", serveSurvey(t), "survey", "-yes", "-key", "k1"))
	assert.Empty(t, found.Key, "a tool without a contract promises nothing about keys")
}

func TestCall_AFailedPrecheckHadNoEffect(t *testing.T) {
	t.Parallel()
	for tier, option := range tiers {
		var ran atomic.Int32
		line := []string{"call", "-header", "Authorization: Bearer anna", serveDesk(t, &ran, option)}
		for _, tool := range []string{"desk_stamp", "desk_hold", "desk_reserve"} {
			for id, code := range map[string]string{"closed": "desk_closed", "jammed": "printer_jam", "panic": "internal_error"} {
				var found called
				assert.Equal(t, cli.Bad, runJSON(t, &found, append(line, tool, "id="+id)...))
				assert.Equal(t, code, found.Code)
				assert.False(t, found.EffectPossible, "%s, %s, %s", tier, tool, id)
				assert.Contains(t, found.Advice, "had no effect")
			}
		}
		assert.Zero(t, ran.Load())
	}
}

func TestCall_ShowsThatAToolIsDeprecated(t *testing.T) {
	t.Parallel()
	for tier, option := range tiers {
		line := []string{"call", "-header", "Authorization: Bearer anna", serveDesk(t, new(atomic.Int32), option), "desk_reserve"}
		for _, id := range []string{"id=1", "id=closed"} {
			var found struct{ Deprecated contract.Deprecation }
			runJSON(t, &found, append(line, id)...)
			assert.Equal(t, contract.Deprecation{Since: "1.0.0", ReplacedBy: "desk_hold", Note: "It is slow."}, found.Deprecated, tier)
			_, _, stderr := runCommand(t, append(line, id)...)
			assert.Contains(t, stderr, "deprecated: since 1.0.0, use desk_hold. It is slow.")
		}
	}
}

func TestCall_ReachesAToolByAnOldName(t *testing.T) {
	t.Parallel()
	for tier, option := range tiers {
		for _, name := range []string{"desk.book", "desk_book"} {
			var ran atomic.Int32
			line := []string{"call", "-header", "Authorization: Bearer anna", serveDesk(t, &ran, option)}
			status, stdout, stderr := runCommand(t, append(line, name, "id=1")...)
			if tier == "full" && name == "desk.book" {
				assert.Equal(t, cli.OK, status, "the contract has the alias: %s", stderr)
				assert.JSONEq(t, `{"id":"1"}`, stdout)
			} else {
				assert.Equal(t, cli.Failed, status)
				assert.Contains(t, stderr, "call -yes")
				assert.Zero(t, ran.Load())
			}
			ran.Store(0)
			var found struct {
				called
				UseName string
			}
			assert.Equal(t, cli.OK, runJSON(t, &found, append(line, "-yes", name, "id=n2")...), "%s, %s: %+v", tier, name, found)
			assert.JSONEq(t, `{"id":"n2"}`, string(found.Structured))
			assert.EqualValues(t, 1, ran.Load())
			if found.Tool == name {
				assert.Equal(t, "desk_reserve", found.UseName)
			}
			var none called
			assert.Equal(t, cli.Bad, runJSON(t, &none, append(line, "-yes", "desk.burn", "id=2")...))
			assert.NotEmpty(t, none.Code)
			assert.EqualValues(t, 1, ran.Load())
		}
	}
}
