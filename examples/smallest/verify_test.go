package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/contracttest"
)

func TestAdd_DoesWhatItsContractDeclares(t *testing.T) {
	t.Parallel()
	contracttest.Verify(t, Add)
}
