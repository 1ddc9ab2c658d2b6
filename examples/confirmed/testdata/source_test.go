package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/contract/verify/effectcheck"
	"github.com/toolcontract/toolcontract/contract/verify/failurecheck"
)

func TestSource(t *testing.T) {
	failurecheck.Check(t, Delete)
	effectcheck.Check(t, Delete)
}
