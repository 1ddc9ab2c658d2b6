package idempotency_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
)

func TestOnUnknown_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[idempotency.OnUnknown](t, "onUnknown", "", "refuse", "rerun")
}
