//go:build unix

package outcomes_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store"
)

// oldProgram is the environment variable with the path of these tests' program,
// built with a release that knows neither generations nor Reconcile.
const oldProgram = "OUTCOMES_OLD"

// A recorded file has what an older release did with an order: the operations
// of its store that changed something, and the effects.
type recorded struct {
	Operations []operationOfStore
	Effects    []effect
}

// An operationOfStore is one of its members.
type operationOfStore struct {
	Claim      *store.Claim      `json:",omitempty"`
	Completion *store.Completion `json:",omitempty"`
	Release    *store.Release    `json:",omitempty"`
}

// stories are what an older release did with an order. Each has an item that
// fails, and how often the order is placed.
var stories = []struct {
	name   string
	crash  point
	fail   fault
	other  bool // another item is placed after the failure
	errors bool // undeclared errors are returned
}{
	{name: "success"},
	{name: "killed before the effect", crash: atHandler},
	{name: "killed after the effect", crash: atEffect},
	{name: "a panic after the effect", fail: fault{after: true, text: "panic"}},
	{name: "an error before the effect", fail: fault{text: "error"}, errors: true},
	{name: "an error after the effect", fail: fault{after: true, text: "error"}, errors: true},
}

// storyFile is the recording of a story.
func storyFile(name string) string {
	return filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".json")
}

// TestCrash_ANewProgramTellsNothingUntrueAboutRecordsOfAnOldOne repeats the
// calls of an older release. With the program of that release in OUTCOMES_OLD it
// records them again.
func TestCrash_ANewProgramTellsNothingUntrueAboutRecordsOfAnOldOne(t *testing.T) {
	t.Parallel()
	if os.Getenv(oldProgram) != "" {
		recordStories(t)
	}
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, story := range stories {
			t.Run(story.name, func(t *testing.T) {
				t.Parallel()
				text, err := os.ReadFile(storyFile(story.name))
				require.NoError(t, err)
				var r recorded
				require.NoError(t, json.Unmarshal(text, &r))
				o := s.order(story.name, plan{})
				s.provider.have(r.Effects)
				s.replay(t, r.Operations)
				program := s.start(t, &process{Terms: terms{Ask: void, OtherErrors: story.errors}})
				if story.errors { // the record has a list, which an unclear failure of this release has not
					o.placeUntilUnknown(t, program)
					assert.Empty(t, o.judge().untrue, "%s", o)
					return
				}
				o.placeUntil(t, program)
				o.isPlacedOnce(t)
			})
		}
	})
}

// have makes effects known to the provider.
func (p *provider) have(effects []effect) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range effects {
		p.effects = append(p.effects, &e)
	}
}

// replay does what was recorded, in the store of the shop.
func (s *shop) replay(t *testing.T, operations []operationOfStore) {
	t.Helper()
	records, closeStore, err := s.place.open()
	require.NoError(t, err)
	for _, op := range operations {
		switch {
		case op.Claim != nil:
			result, err := records.Claim(t.Context(), *op.Claim)
			require.NoError(t, err)
			require.Equal(t, store.Claimed, result.Status)
		case op.Completion != nil:
			require.NoError(t, records.Complete(t.Context(), *op.Completion))
		case op.Release != nil:
			require.NoError(t, records.Release(t.Context(), *op.Release))
		}
	}
	require.NoError(t, closeStore())
}

// recordStories records what the older release does, with an SQLite.
func recordStories(t *testing.T) {
	t.Helper()
	s := newShop(t, sqlite)
	for _, story := range stories {
		o := s.order(story.name, plan{kill: story.crash, fail: map[string]fault{"a book": story.fail}, failOnce: true})
		record := filepath.Join(t.TempDir(), "record")
		p := &process{Terms: terms{OtherErrors: story.errors}, Record: record, Old: true, Point: story.crash}
		o.place(t.Context(), s.start(t, p))
		lines, err := os.Open(record)
		require.NoError(t, err)
		r := recorded{Effects: s.provider.placed(o.name)}
		for d := json.NewDecoder(lines); d.More(); {
			var op operationOfStore
			require.NoError(t, d.Decode(&op))
			r.Operations = append(r.Operations, op)
		}
		require.NoError(t, lines.Close())
		text, err := json.Marshal(r)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(storyFile(story.name), append(text, '\n'), 0o600))
	}
}

// TestCrash_OldAndNewProgramsShareAStore needs the program of an older release;
// see [oldProgram]. It prints what each says.
func TestCrash_OldAndNewProgramsShareAStore(t *testing.T) {
	t.Parallel()
	if os.Getenv(oldProgram) == "" {
		t.Skip("OUTCOMES_OLD does not name the program of an older release")
	}
	const oldOne, newOne, undo = "old", "new", "undo by new"
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for i, c := range []struct {
			killed []string // programs that are killed
			at     point
			steps  []string // programs that are called after that
		}{
			{nil, "", []string{oldOne, newOne, oldOne}},
			{nil, "", []string{newOne, oldOne, newOne}},
			{[]string{oldOne}, atHandler, []string{oldOne, newOne, oldOne}},
			{[]string{oldOne}, atEffect, []string{oldOne, newOne, oldOne}},
			{[]string{newOne}, atHandler, []string{oldOne, newOne, oldOne}},
			{[]string{newOne}, atEffect, []string{oldOne, newOne, oldOne}},
			{[]string{newOne, newOne}, atHandler, []string{oldOne, newOne, oldOne}},
			{nil, "", []string{newOne, undo, oldOne, newOne}},
			{nil, "", []string{newOne, undo, newOne, oldOne, newOne}},
			{nil, "", []string{oldOne, undo, newOne, oldOne}},
			{nil, "", []string{newOne, "undo by old", newOne, oldOne}},
		} {
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				t.Parallel()
				name := fmt.Sprintf("%v killed %s, then %v", c.killed, c.at, c.steps)
				o := s.order(name, plan{kill: c.at, dedupe: i%2 == 1})
				for _, program := range c.killed {
					p := &process{Old: program == oldOne, Point: c.at, Terms: terms{Ask: void}}
					o.breakOff(t, crash{first: c.at}, p)
				}
				programs := map[string]*server{}
				for _, program := range []string{oldOne, newOne} {
					programs[program] = s.start(t, &process{Old: program == oldOne, Terms: terms{Ask: void}})
				}
				for _, step := range c.steps {
					if program, ok := programs[step]; ok {
						o.placeUntil(t, program)
						continue
					}
					program := programs[map[string]string{undo: newOne, "undo by old": oldOne}[step]]
					undone := call(t.Context(), program.Client, cancelTool, cancelIn{o.name})
					require.Equal(t, contract.StatusOK, undone.Status, "%s", undone.text)
				}
				f := o.judge()
				t.Logf("%s\n%d effects, untrue: %v", o, f.effects, f.untrue)
				assert.Empty(t, f.untrue, "%s", o)
				assert.LessOrEqual(t, f.effects, 1, "%s", o)
			})
		}
	})
}
