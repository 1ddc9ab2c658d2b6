package contract_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestEnums_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[contract.Class](t, "class", "", "retryable", "fatal")
	enumtest.CheckTexts[contract.By](t, "by", "", "tool", "guard")
	enumtest.CheckTexts[contract.Confirmation](t, "confirmation", "", "never", "upstream", "when", "always")
	enumtest.CheckTexts[contract.Naming](t, "naming", "underscore", "dotted")
	enumtest.CheckTexts[contract.Leniency](t, "leniency", "", "null-as-absent", "text-as-number", "text-as-boolean",
		"single-as-list")
	enumtest.CheckTexts[contract.DataKind](t, "kind of data", "", "public", "private", "untrusted")
	enumtest.CheckTexts[contract.Reach](t, "reach", "", "internal", "external")
	enumtest.CheckTexts[contract.Undo](t, "undo", "", "reversible", "irreversible")
	enumtest.CheckTexts[contract.Status](t, "status", "", "ok", "error", "asked", "dry-run", "replayed", "cancelled")
}
