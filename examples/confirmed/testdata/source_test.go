package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/verify/effectcheck"
	"github.com/toolcontract/toolcontract/verify/failurecheck"
)

func TestSource(t *testing.T) {
	failurecheck.Check(t, Delete)
	effectcheck.Check(t, Delete)
}
