package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/verify"
)

func TestAdd_DoesWhatItsContractDeclares(t *testing.T) {
	t.Parallel()
	verify.Tool(t, Add)
}
