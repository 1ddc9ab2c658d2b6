package sdks_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

const lookup = "operations_get"

// once makes the text of a note the key of its call.
var once = contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"text"}}

// lookUp looks up the operation of an answer, and returns the structured
// content and the texts.
func (k *kit) lookUp(e era, token, id string) (structured string, texts []string) {
	k.t.Helper()
	raw := k.call(e, token, lookup, `{"operationId":"`+id+`"}`)
	a := sdktest.Parse(k.t, raw)
	require.NotNil(k.t, a.Result, raw)
	require.False(k.t, a.Result.IsError, raw)
	for _, c := range a.Result.Content {
		texts = append(texts, c.Text)
	}
	return string(a.Result.StructuredContent), texts
}

func TestOperations_AreLookedUpOverTheWire(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &sdktest.Tools{}
		began, ends := make(chan string, 1), make(chan struct{})
		note := n.Note(func(ctx context.Context, text string) error {
			if text == "slow" {
				id, _ := guard.OperationID(ctx)
				began <- id
				<-ends
			}
			return nil
		}).Idempotency(once).MustBuild()
		k := newKit(t, s, serving(n.Add().MustBuild(), note), guard.WithOperations())
		assert.Equal(t, []string{"calc_add", "notes_write", lookup}, k.client(e, "alice", nil).Names(t))
		assert.Equal(t, []string{"calc_add"}, k.client(e, "bob", nil).Names(t))
		assert.Equal(t, []string{"calc_add"}, k.client(e, "", nil).Names(t))
		tools, _ := k.list(e, "alice")
		assert.Contains(t, tools[lookup], `"readOnlyHint":true`)
		assert.Contains(t, tools[lookup], `"did_not_happen"`)

		id := sdktest.Outcome(t, k.call(e, "alice", "notes_write", `{"text":"a"}`)).OperationID
		require.True(t, strings.HasPrefix(id, "op_"), id)
		structured, texts := k.lookUp(e, "alice", id)
		var found struct{ State, Tool, StartedAt, EndedAt string }
		sdktest.Unmarshal(t, structured, &found)
		assert.Equal(t, "succeeded", found.State)
		assert.Equal(t, "notes_write", found.Tool, "the name under which the caller knows the tool")
		assert.NotEmpty(t, found.StartedAt)
		assert.NotEmpty(t, found.EndedAt)
		assert.Len(t, texts, 1)

		answered := make(chan string, 1)
		go func() { // with an id of its own, because it stays open
			body := sdktest.Message(t, e, 8, "tools/call", `{"name":"notes_write","arguments":{"text":"slow"}}`)
			answered <- k.post(e, "alice", "tools/call", "notes_write", body)
		}()
		structured, texts = k.lookUp(e, "alice", <-began)
		sdktest.Unmarshal(t, structured, &found)
		assert.Equal(t, "running", found.State)
		require.Len(t, texts, 2)
		assert.JSONEq(t, structured, texts[0])
		close(ends)
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, <-answered).Status)

		for _, unknown := range []string{"", "op_x", "op_" + strings.Repeat("A", 46), id[:len(id)-1] + "B"} {
			structured, texts = k.lookUp(e, "alice", unknown)
			assert.Equal(t, `{"state":"unknown"}`, structured, unknown)
			assert.Equal(t, []string{`{"state":"unknown"}`}, texts, unknown)
		}
		sdktest.AssertRefused(t, k.call(e, "bob", lookup, `{"operationId":"`+id+`"}`), contract.CodePermissionDenied)
		sdktest.AssertRefused(t, k.call(e, "", lookup, `{"operationId":"`+id+`"}`), contract.CodeUnauthenticated)
		sdktest.AssertRefused(t, k.call(e, "down", lookup, `{"operationId":"`+id+`"}`), contract.CodeUnavailable)
		sdktest.AssertRefused(t, k.call(e, "alice", lookup, `{"operationID":"`+id+`"}`), contract.CodeInvalidInput)
		assert.EqualValues(t, 2, n.Notes.Load())
		looked := 0
		for _, event := range k.events(audit.Terminal) {
			if event.Tool == lookup && event.AuditEvent != "" && event.Status == contract.StatusOK.String() {
				looked++
			}
		}
		assert.Equal(t, 6, looked)
	})
}

// The name on the wire does not depend on the naming.
func TestOperations_NameAndCacheOfTheList(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &sdktest.Tools{}
		k := newKit(t, s, asWritten(n.Add().MustBuild(), n.Note(nil).Idempotency(once).MustBuild()), guard.WithOperations())
		c := k.client(modern, "alice", nil)
		assert.Equal(t, []string{"calc.add", "notes.write", lookup}, c.Names(t))
		scope := func(k *kit) string {
			page := k.post(modern, "alice", "tools/list", "", sdktest.Message(t, modern, 1, "tools/list", `{}`))
			return sdktest.Parse(t, page).Result.CacheScope
		}
		assert.Equal(t, "private", scope(k))

		open := newKit(t, s, serving(n.Add().MustBuild()), guard.WithOperations())
		assert.Equal(t, scope(newKit(t, s, serving(n.Add().MustBuild()))), scope(open), "the list is the same for everybody")
		assert.Equal(t, []string{"calc_add"}, open.client(modern, "alice", nil).Names(t))
	})
}

// A server that gets its first recorded tool while it serves lists the lookup
// from then on.
func TestOperations_AppearWithTheFirstRecordedTool(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &sdktest.Tools{}
		k := newKit(t, s, serving(n.Add().MustBuild()), guard.WithOperations())
		require.NoError(t, k.server.Verify())
		sdktest.AssertRefused(t, k.call(e, "alice", lookup, `{"operationId":"op_x"}`), contract.CodePermissionDenied)
		require.NoError(t, k.server.Add(n.Note(nil).Idempotency(once).MustBuild()))
		require.NoError(t, k.server.Verify())
		assert.Equal(t, []string{"calc_add", "notes_write", lookup}, k.client(e, "alice", nil).Names(t))
		id := sdktest.Outcome(t, k.call(e, "alice", "notes_write", `{"text":"a"}`)).OperationID
		structured, _ := k.lookUp(e, "alice", id)
		assert.Contains(t, structured, `"succeeded"`)
		assert.Equal(t, []string{"calc.add", "notes.write", lookup}, toolNames(k.server.ToolsOf()))
	})
}

func TestThreat212_ToolBesideContractsKeepsTheNameOfTheLookup(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		n := &sdktest.Tools{}
		g, _ := newGuard(t, s, guard.WithOperations())
		for name, take := range map[string]func(server) error{
			"registered": func(o server) error { return o.Register(g, serving(n.Note(nil).Idempotency(once).MustBuild())) },
			"wrapped": func(o server) error {
				_, err := o.WrapAll(g, wrap.Rules{Base: versioned()}, options{})
				return err
			},
		} {
			o := s.Existing("orders", "", 0)
			runs := intruder(o, reads(lookup))
			found := contract.DeclarationErrors(take(o))
			require.Len(t, found, 1, name)
			assert.Contains(t, found[0].Remedy, "guard.WithOperations", name)
			assert.Equal(t, "intruder", firstText(t, calling(t, o, lookup, `{}`)), "the server is unchanged")
			assert.EqualValues(t, 1, runs.Load())
		}

		k := newKit(t, s, serving(n.Note(nil).Idempotency(once).MustBuild()), guard.WithOperations())
		runs := intruder(k.server, reads(lookup)) // later, with the SDK's own function
		raw := k.call(modern, "alice", lookup, `{"operationId":"op_x"}`)
		assert.False(t, json.Valid([]byte(raw)) && strings.Contains(raw, "intruder"), raw)
		assert.Zero(t, runs.Load())
		assert.NotEmpty(t, sdktest.Rules(k.server.Verify()))
	})
}
