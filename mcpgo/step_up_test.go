package mcpgo_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func strongAlice() guard.Principal {
	return guard.Principal{Issuer: "test", Subject: "alice", AuthTime: time.Now(), ACR: "mfa"}
}

var closeNote = map[string]any{"text": "hello"}

func TestWithResourceMetadata_RefusesInvalidAddresses(t *testing.T) {
	t.Parallel()
	n := &tools{}
	for _, address := range []string{"", "notes", "/metadata", "ftp://notes.example/", "javascript:alert(1)",
		"https://user@notes.example/", "https://notes.example/\r\nX: y", `https://notes.example/"`} {
		g, err := guard.New(guard.WithPrincipal(mcpgo.Bearer(sdktest.Verify)))
		require.NoError(t, err)
		_, err = mcpgo.NewServer("kit", "1.0.0", g, asWritten(mcpgo.WithTools(n.CloseNote()), mcpgo.WithResourceMetadata(address))...)
		mistakes := contract.DeclarationErrors(err)
		if assert.Len(t, mistakes, 1, address) {
			assert.Equal(t, "serve.resourceMetadata", mistakes[0].Rule)
		}
		require.NoError(t, g.Close(context.WithoutCancel(t.Context())))
	}
}

// A tool has one limit, for all of its names, in each era.
func TestThreat31_OverTheWireACallBeyondTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	sdktest.EachEra(t, func(t *testing.T, e era) {
		var runs atomic.Int64
		tool := contract.New("notes.count", func(context.Context, empty) (addOut, error) { return addOut{Sum: runs.Add(1)}, nil }).
			Description("Counts.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("notes.sum").RateLimit(2,
			time.Hour).MustBuild()
		k := newKit(t, []*contract.Tool{tool})
		c := k.client(e, "alice")
		for _, name := range []string{"notes.count", "notes.sum"} {
			r, err := callTool(t.Context(), c, name, nil)
			require.NoError(t, err)
			require.False(t, r.IsError)
		}
		for _, name := range []string{"notes.count", "notes.sum"} {
			r, err := callTool(t.Context(), c, name, nil)
			require.NoError(t, err)
			o := outcomeOf(t, r)
			assert.Equal(t, contract.CodeRateLimitExceeded, o.Code)
			assert.Equal(t, contract.ClassRetryable, o.Class)
			assert.InDelta(t, 30*60*1000, o.RetryAfterMs, 60_000)
		}
		assert.EqualValues(t, 2, runs.Load())
	})
}
