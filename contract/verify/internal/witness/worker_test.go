package witness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/verify/internal/witness"
	"github.com/toolcontract/toolcontract/internal/workers"
)

func TestRecorder_DoesNotWaitForIdleWorkers(t *testing.T) {
	t.Parallel()
	var pool workers.Pool
	defer pool.Close()
	rec, _ := witness.Here(witness.Options{}) // waits for a shorter time than a worker stays
	seen := rec.Window(func() { assert.NoError(t, pool.Do(func() {})) })
	assert.Zero(t, seen.Running)
}

// brief is for windows that a goroutine outlasts.
var brief = witness.Options{Settle: time.Millisecond}

func TestRecorder_CountsWorkersThatRunAFunctionOfTheWindow(t *testing.T) {
	t.Parallel()
	var pool workers.Pool
	defer pool.Close()
	rec, _ := witness.Here(brief)
	release := make(chan struct{})
	defer close(release)
	seen := rec.Window(func() { pool.Go(func() { <-release }) })
	assert.Equal(t, 1, seen.Running)
}

// Parallel tests have recorders in one process.
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
