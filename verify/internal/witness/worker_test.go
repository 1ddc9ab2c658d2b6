package witness_test

import (
	"context"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// A guard's workers stay around for later calls. Each loses its labels when its
// function ends.
func TestRecorder_DoesNotWaitForIdleWorkers(t *testing.T) {
	t.Parallel()
	rec, _ := witness.Here(witness.Options{})
	end := make(chan struct{})
	defer close(end)
	seen := rec.Window(func() {
		idle := make(chan struct{})
		go func() {
			pprof.SetGoroutineLabels(context.Background())
			close(idle)
			<-end
		}()
		<-idle
	})
	assert.Zero(t, seen.Running)
}

// brief is for windows that a goroutine outlasts.
var brief = witness.Options{Settle: time.Millisecond}

// Parallel tests have recorders in the same process.
func TestRecorder_CountsNoGoroutinesOfAnotherRecorder(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	one, _ := witness.Here(brief)
	assert.Equal(t, 1, one.Window(func() { go func() { <-release }() }).Running)
	other, _ := witness.Here(brief)
	assert.Zero(t, other.Window(func() {}).Running)
}

func TestRecorder_CountsGoroutinesOfAWorkerThatJoins(t *testing.T) {
	t.Parallel()
	rec, _ := witness.Here(brief)
	release := make(chan struct{})
	defer close(release)
	older, done := make(chan func()), make(chan struct{})
	defer close(older)
	go func() {
		for f := range older {
			f()
			done <- struct{}{}
		}
	}()
	seen := rec.Window(func() {
		older <- func() {
			rec.Join(t.Context())
			go func() { <-release }()
		}
		<-done
	})
	assert.Equal(t, 2, seen.Running, "the worker and what it started")
}
