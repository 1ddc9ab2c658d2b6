package idempotency_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
)

func ExampleMode() {
	var mode idempotency.Mode
	err := mode.UnmarshalText([]byte("managed"))
	fmt.Println(mode, err)
	err = mode.UnmarshalText([]byte("always"))
	fmt.Println(mode, err)
	// Output:
	// managed <nil>
	// managed idempotency: unknown mode: allowed are none, native, managed, keyed
}

func TestMode_DeduplicatesInTheGuard(t *testing.T) {
	t.Parallel()
	for mode, want := range map[idempotency.Mode]bool{
		0: false, idempotency.None: false, idempotency.Native: false,
		idempotency.Managed: true, idempotency.Keyed: true, 42: false,
	} {
		assert.Equal(t, want, mode.Deduplicates(), mode.String())
	}
}

func TestMode_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[idempotency.Mode](t, "mode", "", "none", "native", "managed", "keyed")
}
