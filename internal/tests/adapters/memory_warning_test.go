package adapters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/mcpgo"
	"github.com/toolcontract/toolcontract/store"
)

// A durableStore is one whose records outlive the process.
type durableStore struct{ *store.Memory }

func (durableStore) IsLocal() bool { return false }

// An idleApprover is an approver that is never asked.
type idleApprover struct{ guard.Approver }

func (idleApprover) Attach(guard.People) error { return nil }

// A server over stdio without durable records warns at startup. The warnings
// name the tools whose guarantees end with the process, and what is missing.
func TestNewServer_WarnsOfPromisesThatEndWithTheProcess(t *testing.T) {
	t.Parallel()
	echo := func(_ context.Context, in noteIn) (noteIn, error) { return in, nil }
	preview := func(context.Context, noteIn) (dryrun.Preview[noteIn], error) { return dryrun.Preview[noteIn]{}, nil }
	tools := []*contract.Tool{
		writing("notes.once", echo).Idempotency(contract.Idempotency{Mode: idempotency.Managed}).MustBuild(),
		writing("notes.approved", echo).ConfirmAlways().MustBuild(),
		writing("notes.previewed", echo).DryRun(dryrun.By(preview).Required()).MustBuild(),
		writing("notes.plain", echo).MustBuild(),
	}
	memory, err := store.NewMemory()
	require.NoError(t, err)
	durable := []guard.Option{guard.WithStore(durableStore{memory}), guard.WithSealingKeys(bytes.Repeat([]byte("k"), 32))}
	for name, sdk := range map[string]struct {
		user  guard.PrincipalSource
		start func(*guard.Guard) error
	}{
		"mcpgo": {mcpgo.LocalUser(mayWrite), func(g *guard.Guard) error {
			_, err := mcpgo.NewServer("kit", "1.0.0", g, mcpgo.WithTools(tools...))
			return err
		}},
		"gosdk": {gosdk.LocalUser(mayWrite), func(g *guard.Guard) error {
			_, err := gosdk.NewServer("kit", "1.0.0", g, gosdk.WithTools(tools...))
			return err
		}},
	} {
		warned := func(opts ...guard.Option) (all [][]string) {
			var log bytes.Buffer
			g, err := guard.New(append(opts, guard.WithPrincipal(sdk.user), guard.WithAudit(&audit.Recorder{}),
				guard.WithPeople(guard.PeopleOptions{Approver: idleApprover{}}),
				guard.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))))...)
			require.NoError(t, err)
			require.NoError(t, sdk.start(g))
			require.NoError(t, g.Close(t.Context()))
			for line := range bytes.Lines(log.Bytes()) {
				var warning struct {
					Level, Remedy string
					Tools         []string
				}
				require.NoError(t, json.Unmarshal(line, &warning))
				if warning.Level == slog.LevelWarn.String() {
					all = append(all, warning.Tools)
					assert.Contains(t, warning.Remedy, "guard.WithStore")
				}
			}
			return all
		}
		assert.Equal(t, [][]string{{"notes.once"}, {"notes.approved"}, {"notes.previewed"}}, warned(), name)
		assert.Empty(t, warned(durable...), name)
	}
}
