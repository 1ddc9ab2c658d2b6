package compat

import "github.com/toolcontract/toolcontract/contract"

// LargestClass is for the tests of versions.
var LargestClass = largestClass

// DiffDocuments compares two contracts of one tool as [Diff] does, without
// snapshots around them. If their names differ, the tool was renamed; that is
// breaking unless the old name is an alias of the new contract.
func DiffDocuments(old, now contract.Document) []Change {
	return sortChanges(toolPair{&old, &now}.changes())
}

// VersionRaised is [checkVersion] with a plain error.
func VersionRaised(old, now string, class Class) error {
	if e := checkVersion(old, now, class); e != nil {
		return e
	}
	return nil
}
