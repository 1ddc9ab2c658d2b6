package contracttest_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/contracttest"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestSeverity_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[contracttest.Severity](t, "severity", "", "info", "warning", "error")
}
