package client_test

import (
	"testing"

	"github.com/toolcontract/toolcontract/internal/testing/clienttest"
)

func TestThreat138_AnswersWithoutEndOverHTTPAssertCallEnds(t *testing.T) {
	t.Parallel()
	clienttest.AssertCallEndsOverHTTP(t)
}

func TestThreat138_AnswersWithoutEndOverStdioAssertCallEnds(t *testing.T) {
	t.Parallel()
	clienttest.AssertCallEnds(t, stdio("endless"))
}
