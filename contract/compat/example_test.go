package compat_test

import (
	"fmt"

	"github.com/toolcontract/toolcontract/contract/compat"
)

func ExampleDiff() {
	old, err := compat.NewSnapshot(reading().Permissions("notes:read", "notes:list").MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	now, err := compat.NewSnapshot(reading().Permissions("notes:read").Version("1.0.1").MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, change := range compat.Diff(old, now) {
		fmt.Println(change)
	}
	for _, err := range compat.CheckVersions(old, now) {
		fmt.Println(err)
	}
	// Output:
	// notes.read /permissions: [permission.removed] additive, downgrade: Every call still works; callers without it may call too.
	// notes.read /version: [version.changed] patch: Whether it changed by enough is for CheckVersions to say.
	// contract: tool notes.read: [version.raised] additive changes after version 1.0.0 need at least 1.1.0, 1.0.1 is declared
}
