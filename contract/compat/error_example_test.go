package compat_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract/compat"
)

func ExampleVersionError() {
	old, err := compat.NewSnapshot(reading().MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	now, err := compat.NewSnapshot(reading().Permissions("notes:admin").MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, low := range compat.CheckVersions(old, now) {
		fmt.Println(low.Tool, low.Rule, low.Class, low.AtLeast)
	}
	// Output:
	// notes.read version.raised breaking 2.0.0
}
