//go:build unix

package sqlstore_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

// consents are what a call can need before it runs. Each prepares a history's
// call in a process that does not crash.
var consents = map[string]func(t *testing.T, h *history, s *server, page guard.People){
	"agree":   agree,
	"preview": preview,
	"preview and agree": func(t *testing.T, h *history, s *server, page guard.People) {
		t.Helper()
		preview(t, h, s, page)
		agree(t, h, s, page)
	},
	"prove": prove,
}

func agree(t *testing.T, h *history, s *server, page guard.People) {
	t.Helper()
	asked := s.call(t.Context(), h.call)
	require.Equal(t, contract.CodeConfirmationPending, asked.Code)
	colleague := guard.Principal{Issuer: "test", Subject: "ben", Human: true}
	require.NoError(t, page.Decide(t.Context(), strings.TrimPrefix(asked.URL, pagePrefix), true, colleague))
}

func preview(t *testing.T, h *history, s *server, _ guard.People) {
	t.Helper()
	call := h.call
	call.Arguments = with(t, bookingBy("", h.slot).Arguments, "dryRun", true)
	var previewed struct {
		Output struct {
			Token string `json:"dryRunToken"`
		} `json:"structuredContent"`
	}
	require.NoError(t, json.Unmarshal(s.call(t.Context(), call).text, &previewed))
	require.NotEmpty(t, previewed.Output.Token)
	h.call.Arguments = with(t, bookingBy("", h.slot).Arguments, "dryRunToken", previewed.Output.Token)
}

func prove(t *testing.T, h *history, s *server, page guard.People) {
	t.Helper()
	var asked struct {
		State    string `json:"requestState"`
		Requests map[string]struct {
			Params struct {
				URL string `json:"url"`
			} `json:"params"`
		} `json:"inputRequests"`
	}
	text := s.call(t.Context(), h.call).text
	require.NoError(t, json.Unmarshal(text, &asked), "%s", text)
	require.Contains(t, asked.Requests, people.StepUpKey, "%s", text)
	ada := guard.Principal{Issuer: "test", Subject: "ada", AuthTime: time.Now(), ACR: "mfa"}
	id := strings.TrimPrefix(asked.Requests[people.StepUpKey].Params.URL, pagePrefix)
	require.NoError(t, page.CompleteStepUp(t.Context(), id, ada))
	h.call.State = asked.State
	h.call.Responses = map[string]json.RawMessage{people.StepUpKey: json.RawMessage(`{"action":"accept"}`)}
}

func with(t *testing.T, object json.RawMessage, name string, value any) json.RawMessage {
	t.Helper()
	members := map[string]any{}
	require.NoError(t, json.Unmarshal(object, &members))
	members[name] = value
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return text
}

// TestCrash_AConsentCountsForOneBooking kills the process of a call after a
// person has agreed to the call or its preview, or has authenticated. The same
// consent counts for the repeated call, which books once.
func TestCrash_AConsentCountsForOneBooking(t *testing.T) {
	t.Parallel()
	inRooms(t, func(t *testing.T, r *room) {
		g, err := processGuard(open(t, r.db, r.dialect))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, g.Close(context.Background())) })
		for tool, prepare := range consents {
			var opts []client.Option
			if tool == "prove" {
				opts = append(opts, client.WithElicitation())
			}
			for at, signal := range map[point]syscall.Signal{
				atWrite: syscall.SIGKILL, atAnswer: syscall.SIGKILL, atBegin: syscall.SIGSTOP,
			} {
				t.Run(tool+" "+string(at), func(t *testing.T) {
					t.Parallel()
					h := r.history(tool, t.Name())
					next := r.start(t, &process{}, opts...)
					prepare(t, h, next, g.People())
					h.breakOff(t, r.start(t, &process{Point: at, Signal: signal}, opts...), next)
					for _, a := range h.all {
						assert.Contains(t, []string{
							"", contract.CodeKeyInProgress, contract.CodeUnavailable, contract.CodeTimeout,
						}, a.Code, "no other consent is needed")
						assert.Contains(t, []contract.Status{
							0, contract.StatusError, contract.StatusOK, contract.StatusReplayed,
						}, a.Status, "nothing is asked")
					}
				})
			}
		}
	})
}

// breakOff books with a process that crashes and with another one.
func (h *history) breakOff(t *testing.T, first, next *server) {
	t.Helper()
	if first.reached == "" {
		require.True(t, h.breaksOff(t, first))
		require.True(t, h.bookUntil(within(t, time.Minute), t, next))
		h.isOneBooking(t)
		return
	}
	var wait sync.WaitGroup
	wait.Go(func() { h.bookUntil(within(t, time.Minute), t, first) })
	pid := first.awaitStop(t)
	assert.True(t, h.bookUntil(within(t, time.Minute), t, next), "another process takes over")
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	wait.Wait()
	h.isOneBooking(t)
}
