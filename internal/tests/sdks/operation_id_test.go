package sdks_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// An ended call is what a client sees of it.
type ended struct{ status, code, class string }

// Each text of a note ends its call in another way. Its repetition names the
// same operation, and only answers that leave the outcome open tell the model
// about it.
func TestOperationID_IsInEveryAnswerOverTheWire(t *testing.T) {
	t.Parallel()
	full := contract.Fatal("notebook_full", "The notebook is full.")
	half := contract.Retryable("half_written", "A part was written.").EffectPossible()
	unknown := ended{"error", contract.CodeOutcomeUnknown, "fatal"}
	for text, c := range map[string]struct {
		err          error
		first, again ended
	}{
		"success": {nil, ended{"ok", "", ""}, ended{"replayed", "", ""}},
		"declared failure": {full.Errorf("full"), ended{"error", "notebook_full", "fatal"}, ended{
			"replayed", "notebook_full", "fatal",
		}},
		"after some effect": {half, ended{"error", "half_written", "retryable"}, unknown},
		"undeclared error":  {errors.New("reset"), ended{"error", contract.CodeInternalError, "fatal"}, unknown},
		"panic":             {errPanic, ended{"error", contract.CodeInternalError, "fatal"}, unknown},
		"hangs": {errHang, ended{"error", contract.CodeTimeout, "retryable"}, ended{
			"error", contract.CodeKeyInProgress, "retryable",
		}},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				n, end := &sdktest.Tools{}, make(chan struct{})
				var told atomic.Value // the name that the handler knows
				defer close(end)
				note := n.Note(func(ctx context.Context, _ string) error {
					id, _ := guard.OperationID(ctx)
					told.Store(id)
					switch {
					case errors.Is(c.err, errPanic):
						panic("a bug")
					case errors.Is(c.err, errHang):
						<-end
					}
					return c.err
				}).Idempotency(once).Failures(full, half).Timeout(time.Second).MustBuild()
				k := newKit(t, s, serving(note))
				for i, want := range []ended{c.first, c.again} {
					raw := k.call(e, "alice", "notes_write", `{"text":"a"}`)
					var o contract.Outcome
					sdktest.Unmarshal(t, string(sdktest.Parse(t, raw).Result.Meta[contract.MetaKeyOutcome]), &o)
					got := ended{o.Status.String(), o.Code, ""}
					if o.Class != 0 {
						got.class = o.Class.String()
					}
					require.Equal(t, want, got, "call %d", i)
					id, _ := told.Load().(string)
					require.NotEmpty(t, id)
					assert.Equal(t, id, o.OperationID)
					open := want.status == "error" && want.code != "notebook_full"
					assert.Equal(t, open, strings.Contains(firstText(t, raw), id), raw)
				}
				assert.EqualValues(t, 1, n.Notes.Load())
			})
		})
	}
}

var (
	errPanic = errors.New("panic")
	errHang  = errors.New("hang")
)

// Without a record there is no operation, and a conflict would name another
// call's.
func TestOperationID_IsNotInOtherAnswersOverTheWire(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		n := &sdktest.Tools{}
		keyed := n.Note(nil).Idempotency(contract.Idempotency{Mode: idempotency.Keyed}).MustBuild()
		k := newKit(t, s, serving(n.Add().MustBuild(), keyed))
		call := func(tool, arguments, key string) contract.Outcome {
			params := map[string]any{"name": tool, "arguments": json.RawMessage(arguments)}
			if key != "" {
				params["_meta"] = map[string]string{contract.MetaKeyIdempotencyKey: key}
			}
			raw, err := json.Marshal(params)
			require.NoError(t, err)
			return sdktest.Outcome(t, k.post(e, "alice", "tools/call", tool, sdktest.Message(t, e, 7, "tools/call", string(raw))))
		}
		assert.Empty(t, call("calc_add", `{"a":1,"b":2}`, "").OperationID)
		assert.Empty(t, call("notes_write", `{"text":"a"}`, "").OperationID, "a keyed tool without a key")
		id := call("notes_write", `{"text":"a"}`, "k1").OperationID
		assert.NotEmpty(t, id)
		assert.Equal(t, id, call("notes_write", `{"text":"a"}`, "k1").OperationID)
		conflict := call("notes_write", `{"text":"b"}`, "k1")
		assert.Equal(t, contract.CodeKeyConflict, conflict.Code)
		assert.Empty(t, conflict.OperationID)
	})
}
