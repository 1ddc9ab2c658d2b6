package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func TestEnums_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[contract.Class](t, "class", "", "retryable", "fatal")
	enumtest.CheckTexts[contract.By](t, "by", "", "tool", "guard")
	enumtest.CheckTexts[contract.Confirmation](t, "confirmation", "", "never", "upstream", "when", "always")
	enumtest.CheckTexts[contract.Naming](t, "naming", "underscore", "dotted")
	enumtest.CheckTexts[contract.Leniency](t, "leniency", "", "null-as-absent", "text-as-number", "text-as-boolean",
		"single-as-list", "text-as-json", "empty-as-absent", "host-member")
	enumtest.CheckTexts[contract.DataKind](t, "kind of data", "", "public", "private", "untrusted")
	enumtest.CheckTexts[contract.Reach](t, "reach", "", "internal", "external")
	enumtest.CheckTexts[contract.Undo](t, "undo", "", "reversible", "irreversible")
	enumtest.CheckTexts[contract.Status](t, "status", "", "ok", "error", "asked", "dry-run", "replayed", "cancelled")
}

// The tests of users compare these enums, and print them as words.
func TestEnums_OfAnswersHaveWordsInFailingTests(t *testing.T) {
	t.Parallel()
	for want, value := range map[string]any{
		"contract.Status(ok)": contract.StatusOK, "contract.Class(fatal)": contract.ClassFatal,
		"risk.Level(high)": risk.High, "risk.Effect(read-only)": risk.ReadOnly, "trust.Level(trusted)": trust.Trusted,
	} {
		assert.Equal(t, want, fmt.Sprintf("%#v", value))
	}
}
