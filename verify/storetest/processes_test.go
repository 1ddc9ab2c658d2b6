package storetest_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/verify/storetest"
)

// Correct stores over a network or a file are tested in their own packages.
func TestRunProcesses_RejectsStoresThatAreNotShared(t *testing.T) {
	t.Parallel()
	err := storetest.CheckProcesses(t, func(*testing.T) string { return "nowhere" },
		func(*testing.T, string) storetest.Harness { return newStore("").harness() })
	if os.Getenv("STORETEST_PLACE") == "" {
		assert.ErrorContains(t, err, "no order of these operations explains their answers")
	}
}

// Readers of a report can find the wrong answer.
func TestReport_ShowsWhatIsCompared(t *testing.T) {
	t.Parallel()
	none := store.Record{}
	claims := map[string]bool{}
	for _, c := range []store.ClaimResult{
		{Status: store.Claimed},
		{Status: store.Running, LeaseLeft: time.Hour},
		{Status: store.Running, LeaseLeft: time.Second},
		{Status: store.Finished, State: store.Failed},
		{Status: store.Finished, State: store.Completed},
		{Status: store.Finished, State: store.Completed, Result: []byte{}},
		{Status: store.Finished, State: store.Completed, Result: []byte("a")},
	} {
		text := storetest.Summary("Claim", c, none)
		assert.False(t, claims[text], text)
		claims[text] = true
	}
	var empty, full store.Record
	empty.Result, full.Result = []byte{}, []byte("a")
	assert.NotEqual(t, storetest.Summary("Get", store.ClaimResult{}, none), storetest.Summary("Get", store.ClaimResult{}, empty))
	assert.NotEqual(t, storetest.Summary("Get", store.ClaimResult{}, none), storetest.Summary("Get", store.ClaimResult{}, full))
}
