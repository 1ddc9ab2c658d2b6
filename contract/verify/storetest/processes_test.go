package storetest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/verify/storetest"
)

// Stores over a network or a file are checked in their packages, and accepted.
func TestRunProcesses_RejectsStoresThatAreNotShared(t *testing.T) {
	t.Parallel()
	err := storetest.CheckProcesses(t, func(*testing.T) string { return "nowhere" },
		func(*testing.T, string) storetest.Harness { return newStore("").harness() })
	if os.Getenv("STORETEST_PLACE") == "" {
		assert.ErrorContains(t, err, "no order of these operations explains their answers")
	}
}
