package adapter_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// The content of a result is written in the form of the protocol.
func ExampleMarshalContent() {
	data, err := adapter.MarshalContent(contract.LinkContent{URI: "https://example.com/charts/7", Name: "The chart in full"})
	fmt.Println(string(data), err)
	// Output: {"type":"resource_link","uri":"https://example.com/charts/7","name":"The chart in full","description":"","mimeType":""} <nil>
}
