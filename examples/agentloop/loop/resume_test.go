package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
)

var errKilled = errors.New("the process was killed")

// A disk holds the last saved state as bytes, as a file does. It also counts
// the keys that were stored before a call.
type disk struct {
	bytes []byte
	keys  []string
}

func (d *disk) save(_ context.Context, s loop.State) error {
	encoded, err := json.Marshal(s)
	d.bytes = encoded
	if s.Sent != nil {
		d.keys = append(d.keys, s.Sent.Key)
	}
	return err
}

func (d *disk) state(t require.TestingT) loop.State {
	var s loop.State
	if d.bytes != nil {
		require.NoError(t, json.Unmarshal(d.bytes, &s))
	}
	return s
}

func TestRun_ContinuesAfterARestart(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		tool    string
		later   time.Duration // until the restart
		want    []string
		unknown bool // whether the outcome is left open
	}{
		{name: "a read is repeated", tool: "notes.read", want: []string{"notes.read {}", "notes.read {}"}},
		{
			name: "a write whose repetition is safe is repeated with its key", tool: "notes.set",
			want: []string{"notes.set {}", "notes.set {}"},
		},
		{
			name: "a write that the server has forgotten is not", tool: "notes.set", later: 24 * time.Hour,
			want: []string{"notes.set {}"}, unknown: true,
		},
		{name: "another write is not", tool: "notes.write", want: []string{"notes.write {}"}, unknown: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, d := newShop(), &disk{}
				ctx, kill := context.WithCancelCause(t.Context())
				s.answers[tt.tool] = func(context.Context, string) (*agent.Result, error) {
					kill(errKilled) // after the effect, before the answer
					return nil, &agent.FatalError{Failure: agent.Failure{Code: contract.CodeOutcomeUnknown, Attempts: 1}, Err: errKilled}
				}
				task := taskOf(playing(wants(tt.tool+" {}")), s)
				task.Save = d.save
				_, err := loop.Run(ctx, task)
				require.ErrorIs(t, err, errKilled)

				time.Sleep(tt.later)
				delete(s.answers, tt.tool)
				task.State = d.state(t)
				state, err := loop.Run(t.Context(), task)
				assert.Equal(t, tt.want, s.called())
				if tt.unknown {
					var f *agent.FatalError
					require.ErrorAs(t, err, &f)
					assert.Equal(t, contract.CodeOutcomeUnknown, f.Code)
					task.State = d.state(t) // a person has looked, and lets the run go on
					state, err = loop.Run(t.Context(), task)
					assert.Equal(t, tt.want, s.called())
				} else {
					assert.Equal(t, d.keys[0], d.keys[1])
				}
				require.NoError(t, err)
				assert.Equal(t, "done", answerOf(t, state))
				assertObserved(t, state, false)
			})
		})
	}
}

// A call that waited for a person when the run was interrupted had no effect,
// so it is made again whatever its contract promises.
func TestRun_ContinuesACallThatHadNoEffect(t *testing.T) {
	t.Parallel()
	s, d := newShop(), &disk{}
	ctx, kill := context.WithCancelCause(t.Context())
	s.answers["notes.write"] = func(context.Context, string) (*agent.Result, error) {
		kill(errKilled)
		return nil, &agent.FatalError{Failure: agent.Failure{Code: agent.CodeCancelled, Attempts: 1}}
	}
	task := taskOf(playing(wants("notes.write {}")), s)
	task.Save = func(ctx context.Context, s loop.State) error {
		assert.NoError(t, ctx.Err(), "the end of the run does not cancel it")
		return d.save(ctx, s)
	}
	_, err := loop.Run(ctx, task)
	require.ErrorIs(t, err, errKilled)
	delete(s.answers, "notes.write")
	task.State = d.state(t)
	_, err = loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, d.keys[0], d.keys[1])
}

func TestRun_ACallThatIsNotStoredIsNotMade(t *testing.T) {
	t.Parallel()
	for failing := range 3 {
		s, saves := newShop(), 0
		task := taskOf(playing(wants("notes.write {}"), wants("notes.write {}")), s)
		task.Save = func(context.Context, loop.State) error {
			if saves++; saves > failing {
				return errKilled
			}
			return nil
		}
		_, err := loop.Run(t.Context(), task)
		require.ErrorIs(t, err, errKilled)
		assert.Len(t, s.called(), max(failing-1, 0), "the %d. save fails", failing+1)
	}
}

func TestRun_AnAnsweredRunStaysAnswered(t *testing.T) {
	t.Parallel()
	s := newShop()
	state, err := loop.Run(t.Context(), taskOf(playing(wants("notes.write {}")), s))
	require.NoError(t, err)
	task := taskOf(func(context.Context, []loop.Message, []agent.Tool) (loop.Message, error) {
		return loop.Message{}, errors.New("it is not asked again")
	}, s)
	task.State = state
	again, err := loop.Run(t.Context(), task)
	require.NoError(t, err)
	assert.Equal(t, state, again)
}

func TestRun_LimitsCountOverRestarts(t *testing.T) {
	t.Parallel()
	s := newShop()
	task := taskOf(always(wants("notes.read {}")), s)
	task.Turns = 3
	for range 3 {
		state, err := loop.Run(t.Context(), task)
		require.ErrorIs(t, err, loop.ErrTurns)
		task.State = state
	}
	assert.Len(t, s.called(), 3)
}

// Runs of random models, with random failures and restarts at random places,
// end without a second effect.
func TestRun_NeverHasASecondEffect(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		call := rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{"notes.read", "notes.write", "notes.set", "notes.unknown", "notes.export"}).Draw(t, "tool")
			return name + " " + rapid.SampledFrom([]string{`{}`, `{"n":1}`, `{ "n": 1.0 }`, `{"n":2}`, `{"n":`, `null`, ``}).
				Draw(t, "arguments")
		})
		var turns []loop.Message
		for range rapid.IntRange(0, 6).Draw(t, "turns") {
			turns = append(turns, wants(rapid.SliceOfN(call, 1, 5).Draw(t, "calls")...))
		}
		s, d := newShop(), &disk{}
		effects := map[string]int{} // outside, as the server has them
		var kill context.CancelCauseFunc
		for _, tool := range s.tools {
			s.answers[tool.Name] = func(_ context.Context, arguments string) (*agent.Result, error) {
				s.mu.Lock()
				defer s.mu.Unlock()
				effect := tool.Name + " " + canonicalText(arguments)
				if tool.Name == "notes.set" { // the server deduplicates by the key
					effect += " " + d.keys[len(d.keys)-1]
				}
				switch rapid.SampledFrom([]string{"ok", "ok", "ok", "retry", "fatal", "lost", "killed"}).Draw(t, "outcome") {
				case "retry":
					return nil, retryAnswer(tool.Name, "invalid_input")
				case "fatal":
					return nil, fatalAnswer(tool.Name, "storage_unavailable")
				case "killed":
					kill(errKilled)
				case "lost":
					effects[effect]++
					return nil, &agent.FatalError{Failure: agent.Failure{Code: contract.CodeOutcomeUnknown, Attempts: 1}}
				}
				effects[effect]++
				return succeeded(tool.Name), nil
			}
		}
		saves := 0
		for range 100 {
			task := taskOf(playing(turns...), s)
			task.State = d.state(t)
			task.State.ID = "run"
			var ctx context.Context
			ctx, kill = context.WithCancelCause(context.Background())
			task.Save = func(ctx context.Context, state loop.State) error {
				if saves++; saves < 60 && rapid.IntRange(0, 9).Draw(t, "save") == 0 {
					return errKilled
				}
				return d.save(ctx, state)
			}
			state, err := loop.Run(ctx, task)
			kill(nil)
			if err == nil {
				assertObserved(t, state, false)
				break
			}
		}
		for effect, n := range effects {
			if n > 1 && effect[:10] == "notes.writ" {
				t.Fatalf("%s had its effect %d times", effect, n)
			}
		}
	})
}

func canonicalText(arguments string) string {
	v := jsontext.Value(arguments)
	if err := v.Canonicalize(); err != nil {
		return fmt.Sprintf("%q", arguments)
	}
	return string(v)
}
