package audit_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestKind_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[audit.Kind](t, "kind", "", "intent", "asked", "terminal", "late")
}
