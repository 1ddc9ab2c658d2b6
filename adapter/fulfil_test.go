package adapter_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func signing() *contract.Tool {
	type who struct {
		Name string `json:"name"`
	}
	return contract.New("notes.sign", func(ctx context.Context, _ noteIn) (string, error) {
		w, err := contract.Ask[who](ctx, "Who signs?")
		return w.Name, err
	}).Description("Signs a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").Asks(1, who{}).MustBuild()
}

// An older client that never answers holds its call only as long as a question
// of the guard would, and no more of them than those.
func TestThreat226_AnOlderClientThatNeverAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{signing()}})
		client := adapter.Client{Capabilities: forms, Session: "s",
			Send: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
		begin := time.Now()
		var mu sync.Mutex
		var all sync.WaitGroup
		codes := map[string]int{}
		for _, text := range []string{"a", "b", "c"} {
			all.Go(func() {
				a := send(as(t, "alice"), t, table, "notes_sign", adapter.Request{Client: client,
					Arguments: json.RawMessage(`{"text":"` + text + `"}`)})
				mu.Lock()
				defer mu.Unlock()
				codes[a.Outcome.Code]++
			})
		}
		all.Wait()
		assert.Equal(t, map[string]int{contract.CodeConfirmationDeclined: 2, contract.CodeUnavailable: 1}, codes)
		assert.Equal(t, 2*time.Minute, time.Since(begin))
	})
}

// A client that leaves has not declined.
func TestAsk_AClientThatLeavesHasNotDeclined(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, adapter.Config{Tools: []*contract.Tool{signing()}})
	request := adapter.Request{Arguments: json.RawMessage(`{"text":"a"}`), Client: adapter.Client{Capabilities: forms}}
	ctx, leave := context.WithCancel(as(t, "alice"))
	request.Client.Send = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		leave()
		return nil, ctx.Err()
	}
	_, err := table.Call(ctx, table.Entry("notes_sign"), request)
	assert.ErrorIs(t, err, context.Canceled)
	request.Client.Send = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"accept","content":{"name":"Ann"}}`), nil
	}
	answer := send(as(t, "alice"), t, table, "notes_sign", request)
	assert.Equal(t, "Ann", textOf(answer))
}
