package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
)

func TestContracts(t *testing.T) {
	tools := []*contract.Tool{Delete} // all tools of the server
	contracttest.Check(t, tools...)
	contracttest.Golden(t, "testdata/contracts.json", tools...)
}
