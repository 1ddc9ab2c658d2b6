package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify"
)

func TestTools_DoWhatTheirContractsDeclare(t *testing.T) {
	t.Parallel()
	all, err := tools()
	require.NoError(t, err)
	for _, tool := range all {
		verify.Tool(t, tool)
	}
}
