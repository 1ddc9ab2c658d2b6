//go:build unix

package outcomes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

// TestCrash_ARenamedToolAsksAboutTheSameCall kills the process of a tool that
// then gets another name.
func TestCrash_ARenamedToolAsksAboutTheSameCall(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{atHandler, atEffect, atAnswer} {
			t.Run(string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order(string(at), plan{kill: at})
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				renamed := s.start(t, &process{Terms: terms{Ask: void, Name: "orders.submit", Aliases: []string{placeTool}}})
				o.tool = "orders.submit"
				o.placeUntil(t, renamed)
				o.isPlacedOnce(t)
				o.tool = placeTool
				assert.Equal(t, contract.StatusReplayed, o.place(t.Context(), renamed).Status, "%s", o)
				o.isPlacedOnce(t)
			})
		}
	})
}

// TestCrash_OtherSealingKeysTellNothingUntrue kills a process, and repeats its
// call with other sealing keys.
func TestCrash_OtherSealingKeysTellNothingUntrue(t *testing.T) {
	t.Parallel()
	inShops(t, sample(), func(t *testing.T, s *shop) {
		for _, at := range []point{atHandler, atEffect, atAnswer} {
			t.Run("rotated, "+string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order("rotated, "+string(at), plan{kill: at})
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				rotated := s.start(t, &process{Terms: terms{Ask: void}, Keys: []string{"new", usualKey}})
				o.placeUntil(t, rotated)
				o.isPlacedOnce(t)
				old := s.start(t, &process{Terms: terms{Ask: void}, Keys: []string{usualKey, "new"}})
				assert.Equal(t, contract.StatusReplayed, o.place(t.Context(), old).Status, "%s", o)
				o.isPlacedOnce(t)
			})
			t.Run("none in common, "+string(at), func(t *testing.T) {
				t.Parallel()
				o := s.order("none in common, "+string(at), plan{kill: at})
				o.breakOff(t, crash{first: at}, &process{Terms: terms{Ask: void}})
				other := s.start(t, &process{Terms: terms{Ask: void}, Keys: []string{"new"}})
				if at == atAnswer {
					assert.Equal(t, contract.CodeAlreadyDone, o.placeUntil(t, other).Code, "%s", o)
				} else {
					o.placeUntilUnknown(t, other)
				}
				f := o.judge()
				assert.LessOrEqual(t, f.effects, 1, "%s", o)
				assert.Empty(t, f.untrue, "%s", o)
				o.placeUntil(t, s.start(t, &process{Terms: terms{Ask: void}}))
				o.isPlacedOnce(t)
			})
		}
	})
}

// TestCrash_ARestoredBackupTellsNothingUntrue restores a state file that was
// copied before a call was settled. The provider deduplicates: the copy does not
// know the calls after it, so they run again, with the same key.
func TestCrash_ARestoredBackupTellsNothingUntrue(t *testing.T) {
	t.Parallel()
	terms := terms{Ask: void}
	for name, c := range map[string]struct {
		killed point // before the copy; empty: the call comes after it
		undone bool  // after the copy
	}{
		"of before the call":                              {},
		"of a call that had its effect":                   {killed: atEffect},
		"of a call that had none":                         {killed: atHandler},
		"of a call without a known outcome, undone later": {killed: atEffect, undone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, file)
			server := s.start(t, &process{Terms: terms})
			require.NoError(t, call(t.Context(), server.Client, cancelTool, cancelIn{"another"}).err) // makes the file
			o := s.order(name, plan{kill: c.killed, dedupe: true})
			if c.killed != "" {
				o.breakOff(t, crash{first: c.killed}, &process{Terms: terms})
			}
			copied := filepath.Join(t.TempDir(), "copy.db")
			require.NoError(t, sqlitefile.Backup(t.Context(), s.place.URL, copied))
			o.placeUntil(t, server)
			if c.undone {
				require.Equal(t, contract.StatusOK, call(t.Context(), server.Client, cancelTool, cancelIn{o.name}).Status)
				o.placeUntil(t, server)
			}
			o.isPlacedOnce(t)
			require.NoError(t, server.Close())
			for _, end := range []string{"", ".keys"} {
				require.NoError(t, os.Rename(copied+end, s.place.URL+end))
			}
			for _, end := range []string{"-wal", "-shm"} {
				require.NoError(t, os.RemoveAll(s.place.URL+end))
			}
			o.placeUntil(t, s.start(t, &process{Terms: terms}))
			f := o.judge()
			assert.Equal(t, 1, f.effects, "%s", o)
			assert.Empty(t, f.untrue, "%s", o)
			t.Log(o)
		})
	}
}

// TestCrash_ARedisThatLostItsLastWritesTellsNothingUntrue ends a Redis after an
// order, and starts it with the data of an earlier instant. Without the record
// of a call that call is a new one, so only a provider that deduplicates has one
// effect then.
func TestCrash_ARedisThatLostItsLastWritesTellsNothingUntrue(t *testing.T) {
	t.Parallel()
	terms := terms{Ask: void}
	for name, c := range map[string]struct {
		saved  point // the data is saved when the first process is killed there; empty: before its claim
		dedupe bool
	}{
		"the record":                              {dedupe: true},
		"the outcome of a call with an effect":    {saved: atRecord},
		"the outcome of a call without an effect": {saved: atHandler, dedupe: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := exec.LookPath("redis-server")
			if err != nil || testing.Short() {
				t.Skip("redis-server is not installed, or -short starts no server")
			}
			folder, err := os.MkdirTemp("", "redis") //nolint:usetesting // a socket's path is limited to about a hundred bytes
			require.NoError(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(folder) })
			url, end := redisIn(t, server, folder)
			s := &shop{place{redis, url}, newProvider(t)}
			save := func() {
				options, err := goredis.ParseURL(url)
				require.NoError(t, err)
				c := goredis.NewClient(options)
				defer c.Close()
				require.NoError(t, c.Save(t.Context()).Err())
			}
			o := s.order(name, plan{dedupe: c.dedupe})
			if c.saved == "" {
				save()
				o.placeUntil(t, s.start(t, &process{Terms: terms}))
			} else {
				o.breakOff(t, crash{first: c.saved}, &process{Terms: terms})
				save()
				o.placeUntil(t, s.start(t, &process{Terms: terms}))
			}
			o.isPlacedOnce(t)
			end()
			_, _ = redisIn(t, server, folder)
			o.placeUntil(t, s.start(t, &process{Terms: terms}))
			o.isPlacedOnce(t)
			t.Log(o)
		})
	}
}
