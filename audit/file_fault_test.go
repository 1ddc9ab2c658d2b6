package audit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

var errFull = errors.New("no space left on device")

func TestFileSyncsAnIntentAtOnceAndOtherEventsSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		sink := startOn(t, d)
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 1)))
		assert.Equal(t, 1, d.onDisk())
		first := sink.Head()
		assert.Equal(t, records(d.log())[0].Hash, first)

		for n := 2; n < 5; n++ {
			require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, n)))
			time.Sleep(audit.SyncInterval / 4)
		}
		assert.Len(t, records(d.log()), 4, "they are written already")
		assert.Equal(t, 1, d.onDisk())
		assert.Equal(t, first, sink.Head(), "a head is on the disk")
		time.Sleep(audit.SyncInterval / 4)
		synctest.Wait()
		assert.Equal(t, 4, d.onDisk(), "the interval counts from the first of them")
		assert.Equal(t, records(d.log())[3].Hash, sink.Head())

		syncs := d.syncs
		time.Sleep(10 * audit.SyncInterval)
		assert.Equal(t, syncs, d.syncs, "an idle log is left alone")
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Decided, 5)))
		assert.Equal(t, 5, d.onDisk(), "a decision is on the disk before it counts")
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Late, 6)))
		require.NoError(t, sink.Close())
		assert.Equal(t, 6, d.onDisk(), "Close does not wait for the interval")
		assert.True(t, d.closed)
	})
}

func TestFileSyncInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := &disk{}
		sink := startOn(t, late)
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 1)))
		time.Sleep(audit.SyncInterval - time.Nanosecond)
		assert.Zero(t, late.onDisk())
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 2)))
		assert.Equal(t, 2, late.onDisk(), "an intent flushes the others too")
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 3)))
		time.Sleep(audit.SyncInterval - time.Nanosecond)
		assert.Equal(t, 2, late.onDisk())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.Equal(t, 3, late.onDisk())
		require.NoError(t, sink.Close())
	})
}

func TestFileSyncsConcurrentEventsTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const writers = 50
		gate := make(chan struct{})
		d := &disk{gate: gate}
		sink := startOn(t, d)
		var group sync.WaitGroup
		for n := range writers {
			group.Go(func() { assert.NoError(t, sink.Write(context.Background(), numbered(audit.Intent, n))) })
			if n == 0 {
				synctest.Wait() // the first one waits for the disk
			}
		}
		synctest.Wait()
		close(gate)
		group.Wait()
		assert.Equal(t, writers, d.onDisk())
		assert.Equal(t, 2, d.syncs, "one for the first, one for those that waited for it")
		require.NoError(t, sink.Close())
	})
}

func TestFileWriteReturnsWhileTheDiskHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{})}
		sink := startOn(t, d)
		for n := range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			start := time.Now()
			err := sink.Write(ctx, numbered(audit.Intent, n))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, time.Second, time.Since(start))
			cancel()
		}
		close(d.gate)
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 3)))
		require.NoError(t, sink.Close())
		assert.Equal(t, []string{"c0", "c3"}, callIDs(d.log()), "the first had begun, the others were taken back")
	})
}

func TestFileCloseWaitsForRunningWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{})}
		sink := startOn(t, d)
		var group sync.WaitGroup
		for n := range 3 {
			group.Go(func() { assert.NoError(t, sink.Write(context.Background(), numbered(audit.Terminal, n))) })
		}
		synctest.Wait()
		for range 2 {
			group.Go(func() {
				assert.NoError(t, sink.Close())
				assert.True(t, d.closed)
			})
		}
		synctest.Wait()
		assert.ErrorIs(t, sink.Write(t.Context(), numbered(audit.Terminal, 4)), fs.ErrClosed)
		close(d.gate)
		group.Wait()
		assert.Equal(t, 3, d.onDisk())
	})
}

func TestFileHasAWholeChainWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	probe := &disk{}
	sink := startOn(t, probe)
	require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 1)))
	length := len(probe.log())
	for taken := range length + 1 {
		d := &disk{}
		sink := startOn(t, d)
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 0)))
		d.set(func() { d.accept = func([]byte) (int, error) { return taken, errFull } })
		err := sink.Write(t.Context(), numbered(audit.Intent, 1))
		whole := taken >= length-1 // it may lack its line break
		assert.Equal(t, whole, err == nil, "%d bytes were taken", taken)
		assert.Equal(t, !whole, errors.Is(err, errFull), "%d bytes were taken", taken)
		d.set(func() { d.accept = func([]byte) (int, error) { return 0, errFull } })
		for _, kind := range []audit.Kind{audit.Intent, audit.Asked, audit.Terminal, audit.Late} {
			require.ErrorIs(t, sink.Write(t.Context(), numbered(kind, 2)), errFull)
		}
		d.set(func() { d.accept = nil })
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 3)))
		require.NoError(t, sink.Close())
		report, err := audit.Verify(bytes.NewReader(d.log()), sink.Head())
		require.NoError(t, err, "%d bytes were taken", taken)
		want := []string{"c0", "c3"}
		if whole {
			want = []string{"c0", "c1", "c3"}
		}
		assert.Equal(t, want, callIDs(d.log()))
		assert.Equal(t, !whole && taken > 0, report.Torn == 1, "%d bytes were taken", taken)
	}
}

func TestFileLosesNoAcknowledgedEventOnADiskThatFailsAtRandom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 0))
			d := &disk{accept: func(p []byte) (int, error) {
				switch random.IntN(3) {
				case 0:
					return random.IntN(len(p) + 1), errFull
				case 1:
					return random.IntN(2), errFull
				default:
					return len(p), nil
				}
			}}
			sink := startOn(t, d)
			var (
				mu    sync.Mutex
				kept  []string
				group sync.WaitGroup
			)
			for w := range 4 {
				group.Go(func() {
					for n := range 50 {
						event := numbered(audit.Intent, 1000*w+n)
						if sink.Write(context.Background(), event) == nil {
							mu.Lock()
							kept = append(kept, event.CallID)
							mu.Unlock()
						}
					}
				})
			}
			group.Wait()
			require.NoError(t, sink.Close())
			report, err := audit.Verify(bytes.NewReader(d.log()), sink.Head())
			require.NoError(t, err)
			assert.Positive(t, report.Torn)
			assert.ElementsMatch(t, kept, callIDs(d.log()))
		})
	}
}

func TestFileTreatsAShortWriteAsAnError(t *testing.T) {
	t.Parallel()
	d := &disk{accept: func(p []byte) (int, error) { return len(p) / 2, nil }}
	sink := startOn(t, d)
	assert.ErrorIs(t, sink.Write(t.Context(), numbered(audit.Terminal, 1)), io.ErrShortWrite)
}

func TestFileFailsEveryWriteAfterAFailedFsync(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	tests := []struct {
		name  string
		write func(t *testing.T, d *disk, sink *audit.FileSink)
	}{
		{"of an intent", func(t *testing.T, d *disk, sink *audit.FileSink) {
			d.set(func() { d.syncErr = broken })
			assert.ErrorIs(t, sink.Write(t.Context(), numbered(audit.Intent, 2)), broken)
		}},
		{"in the background", func(t *testing.T, d *disk, sink *audit.FileSink) {
			require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 2)))
			d.set(func() { d.syncErr = broken })
			time.Sleep(audit.SyncInterval)
			synctest.Wait()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := &disk{}
				sink := startOn(t, d)
				require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, 1)))
				head := sink.Head()
				tt.write(t, d, sink)
				d.set(func() { d.syncErr = nil }) // like an operating system that discarded the bytes
				for _, kind := range allKinds() {
					assert.ErrorIs(t, sink.Write(t.Context(), numbered(kind, 3)), broken)
				}
				assert.Equal(t, head, sink.Head())
				assert.ErrorIs(t, sink.Close(), broken)
				assert.True(t, d.closed, "the lock is given up nevertheless")
				assert.ErrorIs(t, sink.Close(), broken)
			})
		})
	}
}

func TestFileErrorsDoNotHoldTheEvent(t *testing.T) {
	t.Parallel()
	d := &disk{accept: func([]byte) (int, error) { return 0, errFull }}
	sink := startOn(t, d)
	event := numbered(audit.Terminal, 1)
	event.Error = "hunter2"
	err := sink.Write(t.Context(), event)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	event.Error = strings.Repeat("hunter2", audit.MaxRecord)
	err = sink.Write(t.Context(), event)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}
