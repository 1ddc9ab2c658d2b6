package compat

import (
	"slices"

	"github.com/Masterminds/semver/v3"
)

// The rules a [VersionError] can name.
const (
	RuleVersionForm   = "version.form"   // a version that is not SemVer 2.0.0
	RuleVersionRaised = "version.raised" // a version that is not high enough for its changes
)

// A VersionError says that a contract changed and its version does not say so.
type VersionError struct {
	// Tool is the tool's name; empty where [VersionRaised] was asked.
	Tool string
	// Rule is [RuleVersionForm] or [RuleVersionRaised].
	Rule string
	// Old and New are the versions that were declared.
	Old, New string
	// Class is the largest class of the changes.
	Class Class
	// AtLeast is the lowest release that will do and is not below New; empty where
	// Old is no version.
	AtLeast string
}

// Error returns what is wrong and the lowest version that will do. Versions
// that are not SemVer are not repeated.
func (e *VersionError) Error() string {
	text := "contract: "
	if e.Tool != "" {
		text += "tool " + e.Tool + ": "
	}
	text += "[" + e.Rule + "] "
	if e.Rule == RuleVersionForm {
		return text + "a version is not SemVer 2.0.0, such as 1.0.0"
	}
	if e.Class.IsZero() {
		return text + "version " + e.New + " is lower than " + e.Old + ", which was declared before"
	}
	return text + e.Class.String() + " changes after version " + e.Old + " need at least " + e.AtLeast + ", " + e.New + " is declared"
}

// VersionRaised reports whether a contract's version was raised by at least
// the class of its changes; nil means that it was. The rules are those of
// Semantic Versioning 2.0.0 as the MCP Tool Definition Specification 1.0.0 uses
// them:
//
//   - Breaking changes need a higher MAJOR, Additive ones at least a higher
//     MINOR, Patch ones at least a higher PATCH. No changes need nothing, and
//     allow any version that is not lower.
//   - Below 1.0.0 nothing is stable yet (SemVer §4), and MINOR stands for MAJOR:
//     Breaking and Additive changes need a higher MINOR, Patch ones a higher PATCH.
//     1.0.0 is higher than all of them.
//   - A pre-release comes before its release (SemVer §9, §11): 2.0.0-rc.1 is
//     enough for a breaking change after 1.4.2. From one pre-release to a later one
//     of the same MAJOR.MINOR.PATCH, or to its release, what that release may change
//     may still change: anything before X.0.0 (or 0.Y.0), what is additive before
//     X.Y.0, and otherwise patches. From a pre-release to any other version the
//     rules are those from its release.
//   - Build metadata (SemVer §10) raises nothing.
//
// A class that is none of the declared ones counts as Breaking, but for the
// zero value. The error is a [*VersionError].
func VersionRaised(old, now string, class Class) error {
	if e := checkVersion(old, now, class); e != nil {
		return e
	}
	return nil
}

func checkVersion(old, now string, class Class) *VersionError {
	from, errOld := semver.StrictNewVersion(old)
	to, errNew := semver.StrictNewVersion(now)
	e := &VersionError{Rule: RuleVersionForm, Old: old, New: now, Class: class}
	if errOld == nil {
		e.AtLeast = lowestVersion(from, class).String()
	}
	if errOld != nil || errNew != nil {
		return e
	}
	e.Rule = RuleVersionRaised
	if class.IsZero() {
		if to.LessThan(from) {
			return e
		}
		return nil
	}
	atLeast := lowestVersion(from, class)
	if to.GreaterThan(from) && !core(to).Equal(core(from)) {
		atLeast = nextVersion(from, class) // what a pre-release waives, it waives for its own release
	}
	e.AtLeast = atLeast.String()
	if !to.GreaterThan(from) || core(to).LessThan(atLeast) {
		return e
	}
	return nil
}

// core is a version without its pre-release and build metadata.
func core(v *semver.Version) *semver.Version {
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
}

// lowestVersion is the lowest release that says that a change of this class
// happened after v. Of a pre-release it is the release that it leads to, where
// that may bring such a change.
func lowestVersion(v *semver.Version, class Class) *semver.Version {
	if class.IsZero() || v.Prerelease() != "" && brings(core(v), class) {
		return core(v)
	}
	return nextVersion(v, class)
}

// brings reports whether a release may be one that brings a change of this
// class: whether the numbers below the one that the class asks for are zero.
func brings(release *semver.Version, class Class) bool {
	switch class {
	case Patch:
		return true
	case Additive:
		return release.Patch() == 0
	case UndeclaredClass, Breaking:
	}
	return release.Patch() == 0 && (release.Minor() == 0 || release.Major() == 0)
}

// nextVersion is the lowest release after that of v that brings a change of this
// class.
func nextVersion(v *semver.Version, class Class) *semver.Version {
	switch {
	case class == Patch:
		return semver.New(v.Major(), v.Minor(), v.Patch()+1, "", "")
	case class == Additive || v.Major() == 0:
		return semver.New(v.Major(), v.Minor()+1, 0, "", "")
	default:
		return semver.New(v.Major()+1, 0, 0, "", "")
	}
}

// CheckVersions compares two snapshots as [Diff] does and returns, sorted by
// tool, each tool whose version was not raised by at least the largest class of
// its changes. What is unknown counts as breaking, as its class says. Two rules
// ask for no number: failures.guard, whose words are not the author's and whose
// lines follow from clauses with classes of their own, and version.changed, by
// itself: the version may then be any that is not lower. A renamed
// tool is held to the version under its old name. A new tool may have any
// version, and of a removed one none is left to raise.
func CheckVersions(old, now Snapshot) []*VersionError {
	var errs []*VersionError
	for _, p := range pairTools(old, now) {
		if p.old == nil || p.now == nil {
			continue
		}
		if e := checkVersion(p.old.Version, p.now.Version, versionClass(p.changes())); e != nil {
			e.Tool = p.now.Name
			errs = append(errs, e)
		}
	}
	return errs
}

// versionClass is the class by which the author has to raise the version.
func versionClass(changes []Change) Class {
	return LargestClass(slices.DeleteFunc(changes, func(c Change) bool {
		return c.Rule == "failures.guard" || c.Rule == "version.changed"
	}))
}

// RemovableFrom returns the lowest version in which a breaking change of a
// contract of this version may be made, and so the version from which an alias,
// or a deprecated part, may go: an alias is a deprecated name from the day on
// which it is one. After 1.4.2 it is 2.0.0, after 0.3.1 it is 0.4.0, and after
// the pre-releases 2.0.0-rc.1 and 1.5.0-rc.1 it is 2.0.0. A version that is not SemVer is a
// [*VersionError].
func RemovableFrom(version string) (string, error) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		return "", &VersionError{Rule: RuleVersionForm, Old: version, Class: Breaking}
	}
	return lowestVersion(v, Breaking).String(), nil
}
