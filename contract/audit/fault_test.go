package audit_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/audit"
)

func TestFaultText(t *testing.T) {
	t.Parallel()
	texts := map[audit.Fault]string{
		audit.Malformed: "malformed", audit.Changed: "changed", audit.Missing: "missing",
		audit.Misplaced: "misplaced", audit.Cut: "cut",
	}
	require.Len(t, audit.Faults(), len(texts))
	for _, f := range audit.Faults() {
		assert.True(t, f.IsValid())
		assert.Equal(t, texts[f], f.String())
		text, err := f.MarshalText()
		require.NoError(t, err)
		var got audit.Fault
		require.NoError(t, got.UnmarshalText(text))
		assert.Equal(t, f, got)
	}
	assert.Equal(t, "undeclared", audit.UndeclaredFault.String())
	assert.Equal(t, "fault(42)", audit.Fault(42).String())
}

func TestFaultWithoutText(t *testing.T) {
	t.Parallel()
	for _, f := range []audit.Fault{audit.UndeclaredFault, 6, 255} {
		assert.False(t, f.IsValid())
		_, err := f.MarshalText()
		assert.Error(t, err, "%v", f)
	}
	for _, text := range []string{"", "Changed", "undeclared", "hunter2"} {
		f := audit.Cut
		err := f.UnmarshalText([]byte(text))
		require.Error(t, err, "%q", text)
		assert.Equal(t, audit.Cut, f, "%q leaves the receiver alone", text)
		for _, allowed := range audit.Faults() {
			assert.ErrorContains(t, err, allowed.String())
		}
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestChainErrorSaysWhere(t *testing.T) {
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
