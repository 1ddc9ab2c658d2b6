package sqlitefile_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/trust"
)

// restore replaces a state that no process uses by a copy.
func restore(t *testing.T, from, path string) {
	t.Helper()
	for _, suffix := range []string{"", ".keys"} {
		text, err := os.ReadFile(from + suffix)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+suffix, text, 0o600))
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		require.NoFileExists(t, path+suffix)
	}
}

// cancelling is a tool that a person must approve. It counts its runs.
func cancelling(runs *int) *contract.Builder[bookIn, bookOut] {
	cancel := func(context.Context, bookIn) (bookOut, error) {
		*runs++
		return bookOut{}, nil
	}
	return contract.New("visits.cancel", cancel).Description("Cancels a visit.").Version("1.0.0").Effect(risk.Destructive).
		Trust(trust.Trusted).NoPermissions("The desk is open to its user.").SideEffects(contract.SideEffect{
		Description: "The visit is gone.", Reach: contract.Internal, Undo: contract.Irreversible, OnRepeat: "Nothing.",
	})
}

func TestBackup_AnAnswerOfBeforeARestoreDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	runs := 0
	// call makes a call in its own process.
	call := func(person adapter.Client) (*adapter.CallResult, error) {
		t.Helper()
		f, err := sqlitefile.Open(path)
		require.NoError(t, err)
		g, err := guard.New(append(f.Options(), guard.WithPrincipal(guard.PrincipalFunc(
			func(context.Context) (guard.Principal, error) {
				return guard.Principal{Issuer: "test", Subject: "ada"}, nil
			})))...)
		require.NoError(t, err)
		table, err := adapter.NewTable(g, adapter.Config{Tools: []*contract.Tool{cancelling(&runs).MustBuild()}, Server: "desk"})
		require.NoError(t, err)
		person.Modern, person.Capabilities.Elicitation = true, new(adapter.ElicitationCapability)
		answer, err := table.Call(t.Context(), table.Entry("visits_cancel"),
			adapter.Request{Arguments: json.RawMessage(`{"slot":"1"}`), Client: person})
		require.NoError(t, g.Close(context.Background()))
		require.NoError(t, f.Close())
		return answer, err
	}
	asked, err := call(adapter.Client{})
	require.NoError(t, err)
	require.NotEmpty(t, asked.State)
	approved := adapter.Client{State: asked.State, Answers: map[string]json.RawMessage{
		people.ConfirmKey: json.RawMessage(`{"action":"accept","content":{"confirm":true}}`),
	}}
	require.NoError(t, sqlitefile.Backup(t.Context(), path, path+".copy"))
	_, err = call(approved)
	require.NoError(t, err)
	require.Equal(t, 1, runs)
	for range 2 {
		restore(t, path+".copy", path)
		_, err := call(approved)
		require.EqualError(t, err, "guard: the request state is not valid for this call")
		asked, err := call(adapter.Client{})
		require.NoError(t, err)
		assert.NotEmpty(t, asked.Requests, "the person is asked again")
		assert.Equal(t, 1, runs)
	}
}

func TestBackup_ADryRunOfBeforeARestoreDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	runs := 0
	preview := func(context.Context, bookIn) (dryrun.Preview[struct{}], error) {
		return dryrun.Preview[struct{}]{}, nil
	}
	tool := cancelling(&runs).DryRun(dryrun.By(preview).Required()).MustBuild()
	// inProcess runs a function with the client of a process.
	inProcess := func(do func(c *contracttest.Client)) {
		f, err := sqlitefile.Open(path)
		require.NoError(t, err)
		c := contracttest.NewClient(t, []*contract.Tool{tool}, append(f.Options(), guard.WithNamespace("desk"))...).
			As(contract.Principal{Issuer: "test", Subject: "ada"}).Answering(contracttest.Approve)
		do(c)
		c.Close()
		require.NoError(t, f.Close())
	}
	var shown *contracttest.Result
	inProcess(func(c *contracttest.Client) { shown = c.Preview("visits.cancel", slot(1)) })
	require.NoError(t, sqlitefile.Backup(t.Context(), path, path+".copy"))
	inProcess(func(c *contracttest.Client) { require.Equal(t, contract.StatusOK, c.Commit(shown).Outcome.Status) })
	restore(t, path+".copy", path)
	inProcess(func(c *contracttest.Client) {
		assert.Equal(t, contract.CodeDryRunRequired, c.Commit(shown).Outcome.Code)
	})
	assert.Equal(t, 1, runs)
}
