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
	// notes.read /permissions: [permission.removed] additive, downgrade: Every call still works. Callers without the permission may call too.
	// notes.read /version: [version.changed] patch: CheckVersions reports whether it was raised by enough.
	// compat: tool notes.read: [version.raised] additive changes after version 1.0.0 need at least version 1.1.0, but 1.0.1 is declared
}

func ExampleSnapshot() {
	built, err := compat.NewSnapshot(reading().MustBuild(), writing().MustBuild())
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := built.Text() // for a file that is checked in
	if err != nil {
		fmt.Println(err)
		return
	}
	recorded, err := compat.ParseSnapshot(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(recorded.Tools[0].Name, recorded.Tools[1].Name)
	fmt.Println(len(compat.Diff(recorded, built)), "changes")
	// Output:
	// notes.read notes.write
	// 0 changes
}

func ExampleRemovableFrom() {
	version, err := compat.RemovableFrom("1.4.2")
	fmt.Println(version, err)
	// Output: 2.0.0 <nil>
}

func ExampleKinds() {
	for _, r := range compat.Kinds() {
		if r.ID == "permission.removed" {
			fmt.Println(r.Class, r.Downgrade)
			fmt.Println(r.Summary)
		}
	}
	// Output:
	// additive true
	// A permission is no longer needed.
}
