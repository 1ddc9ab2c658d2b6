package main

import (
	"testing"

	"github.com/toolcontract/toolcontract/verify"
)

func TestDelete_DoesWhatItDeclares(t *testing.T) {
	verify.Tool(t, Delete, verify.Case{Name: "a note", Input: deleteIn{ID: "n1"}})
}
