package docs_test

import (
	"fmt"
	"os"
	"testing"
)

// The tests of pages read the whole repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
