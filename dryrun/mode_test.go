package dryrun_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
)

func TestMode_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[dryrun.Mode](t, "mode", "", "none", "supported", "required")
}
