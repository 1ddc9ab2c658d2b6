package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/contracttest"
)

func TestContracts(t *testing.T) {
	contracttest.Check(t, Delete) // and all other tools of the server
	contracttest.Golden(t, "testdata/contracts.json", Delete)
}
