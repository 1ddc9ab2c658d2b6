package guard_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/trust"
)

// sayer returns a managed tool with a result and an error.
func sayer[Out any](level trust.Level, out Out, err error) *contract.Tool {
	return contract.New("say.it", func(context.Context, empty) (Out, error) { return out, err }).
		Description("Says.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(level).
		Permissions("mail:send").Failures(errClosed).Idempotency(byArguments).MustBuild()
}

func TestReplay_NamesTheTimeOfTheRecordedCall(t *testing.T) {
	t.Parallel()
	image := contract.ImageContent{Data: []byte{1}, MIMEType: "image/png"}
	for name, tool := range map[string]*contract.Tool{
		"a structured result": sayer(trust.Trusted, payOutput{1}, nil),
		"a text":              sayer(trust.Trusted, "hello", nil),
		"an empty text":       sayer(trust.Trusted, "", nil),
		"no result":           sayer(trust.Trusted, struct{}{}, nil),
		"a delimited text":    sayer(trust.Untrusted, "hello", nil),
		"an image":            sayer(trust.Trusted, contract.Reply[struct{}]{Content: []contract.Content{image}}, nil),
		"a text of the handler": sayer(trust.Untrusted,
			contract.Reply[payOutput]{Content: []contract.Content{contract.TextContent{Text: "paid"}, image}}, nil),
		"a failure":           sayer(trust.Trusted, "", errClosed.Errorf("since May")),
		"a delimited failure": sayer(trust.Untrusted, "", errClosed.Errorf("since May")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := newKit(t, []*contract.Tool{tool})
				at := time.Now()
				first := k.call(alice, "say.it", `{}`)
				time.Sleep(time.Minute)
				second := k.call(alice, "say.it", `{}`)
				replayOf(t, first, second)
				assert.Equal(t, at.UTC(), replayedAt(t, second))
				time.Sleep(time.Minute)
				assert.Equal(t, second.Content, k.call(alice, "say.it", `{}`).Content, "there is one note, with one time")
				require.NoError(t, k.guard.Close(t.Context()))
			})
		})
	}
}

// A client that reads the first item as the result must not read the note.
func TestReplay_NoteIsNeverTheFirstItem(t *testing.T) {
	t.Parallel()
	k := newKit(t, []*contract.Tool{sayer(trust.Trusted, "", nil)})
	k.call(alice, "say.it", `{}`)
	r := k.call(alice, "say.it", `{}`)
	require.Equal(t, contract.StatusReplayed, r.Outcome.Status)
	assert.Empty(t, r.Text)
	require.Len(t, r.Content, 2)
	assert.Equal(t, contract.TextContent{}, r.Content[0])
}

// undating is a store whose results have no time, as those of earlier versions.
type undating struct {
	store.Store

	guard   *guard.Guard
	changed int
}

func (u *undating) Complete(ctx context.Context, c store.Completion) error {
	if old := guard.Undated(u.guard, c.Key, []byte(`{}`), c.Result); old != nil {
		c.Result = old
		u.changed++
	}
	return u.Store.Complete(ctx, c)
}

func TestReplay_ResultOfBeforeHasANoteWithoutATime(t *testing.T) {
	t.Parallel()
	s := &undating{Store: newMemory(t)}
	k := newKit(t, []*contract.Tool{sayer(trust.Trusted, "hello", nil)}, guard.WithStore(s))
	s.guard = k.guard
	first := k.call(alice, "say.it", `{}`)
	require.Equal(t, 1, s.changed)
	second := k.call(alice, "say.it", `{}`)
	replayOf(t, first, second)
	assert.Zero(t, replayedAt(t, second))
}
