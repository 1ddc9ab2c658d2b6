package compat

// Tests compare two contracts and two versions without snapshots around them.
var (
	DiffDocuments = diffDocuments
	LargestClass  = largestClass
)

// VersionRaised is [checkVersion] with a plain error.
func VersionRaised(old, now string, class Class) error {
	if e := checkVersion(old, now, class); e != nil {
		return e
	}
	return nil
}
