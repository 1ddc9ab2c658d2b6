package audit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/audit"
)

func TestChainErrorNamesTheLine(t *testing.T) {
	t.Parallel()
	tests := map[string]*audit.ChainError{
		"audit: line 7: this is no record":                                       {Line: 7, Fault: "malformed"},
		"audit: line 7: the record was changed":                                  {Line: 7, Fault: "changed"},
		"audit: line 7: records before it are missing":                           {Line: 7, Fault: "missing"},
		"audit: line 7: the record stands out of its order":                      {Line: 7, Fault: "misplaced"},
		"audit: the log ends after line 0 without the head: records are missing": {Fault: "cut"},
		"audit: near the end of the log: the record was changed":                 {Fault: "changed"},
	}
	for want, err := range tests {
		assert.EqualError(t, err, want)
	}
}
