package idempotency_test

import (
	"fmt"
	"testing"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func ExampleMode() {
	var mode idempotency.Mode
	err := mode.UnmarshalText([]byte("managed"))
	fmt.Println(mode, err)
	err = mode.UnmarshalText([]byte("always"))
	fmt.Println(mode, err)
	// Output:
	// managed <nil>
	// managed idempotency: unknown mode: allowed are none, native, managed
}

func TestMode_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[idempotency.Mode](t, "mode", "", "none", "native", "managed")
}
