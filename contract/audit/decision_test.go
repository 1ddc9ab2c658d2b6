package audit_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestDecision_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[audit.Decision](t, "decision", "", "allow", "deny", "ask", "replay", "dry-run")
}
