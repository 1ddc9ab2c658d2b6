package compat_test

import (
	"errors"
	"fmt"

	"github.com/toolcontract/toolcontract/contract/compat"
)

func ExampleVersionError() {
	err := compat.VersionRaised("1.4.2", "1.5.0", compat.Breaking)
	if low, ok := errors.AsType[*compat.VersionError](err); ok {
		fmt.Println(low.Rule, low.AtLeast)
	}
	// Output:
	// version.raised 2.0.0
}

func ExampleSnapshotError() {
	_, err := compat.ParseSnapshot([]byte(`{"format":7,"tools":[]}`))
	if wrong, ok := errors.AsType[*compat.SnapshotError](err); ok {
		fmt.Println(wrong.Rule, wrong.Where)
	}
	// Output:
	// snapshot.format /format
}
