package audit_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/internal/enum/enumtest"
)

func TestChainErrorNamesTheLine(t *testing.T) {
	t.Parallel()
	tests := map[string]*audit.ChainError{
		"audit: line 7: this is no record":                                       {Line: 7, Fault: audit.Malformed},
		"audit: line 7: the record was changed":                                  {Line: 7, Fault: audit.Changed},
		"audit: line 7: records before it are missing":                           {Line: 7, Fault: audit.Missing},
		"audit: line 7: the record stands out of its order":                      {Line: 7, Fault: audit.Misplaced},
		"audit: the log ends after line 0 without the head: records are missing": {Fault: audit.Cut},
		"audit: near the end of the log: the record was changed":                 {Fault: audit.Changed},
		"audit: line 7: the chain breaks: fault(42)":                             {Line: 7, Fault: 42},
	}
	for want, err := range tests {
		assert.Equal(t, want, err.Error())
		assert.ErrorIs(t, err, audit.ErrBroken)
		assert.NotErrorIs(t, errors.New(want), audit.ErrBroken)
	}
}

func TestFault_TextForm(t *testing.T) {
	t.Parallel()
	enumtest.CheckTexts[audit.Fault](t, "fault", "", "malformed", "changed", "missing", "misplaced", "cut")
}
