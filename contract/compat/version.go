package compat

import (
	"slices"

	"github.com/Masterminds/semver/v3"
)

// The rules of a [VersionError].
const (
	ruleVersionForm   = "version.form"   // a version that is not SemVer 2.0.0
	ruleVersionRaised = "version.raised" // a version that is not high enough for its changes
)

// A VersionError reports a contract whose version was not raised far enough.
type VersionError struct {
	// Tool is the tool's name. It is empty in errors of [RemovableFrom].
	Tool string
	// Rule is "version.form" or "version.raised".
	Rule string
	// Old and New are the declared versions.
	Old, New string
	// Class is the largest class of the changes.
	Class Class
	// AtLeast is the lowest release that is high enough. It is empty if Old is
	// not a version.
	AtLeast string
}

// Error returns the mistake and the lowest version that is high enough. It does
// not repeat versions that are not SemVer.
func (e *VersionError) Error() string {
	text := "compat: "
	if e.Tool != "" {
		text += "tool " + e.Tool + ": "
	}
	text += "[" + e.Rule + "] "
	if e.Rule == ruleVersionForm {
		return text + "a version is not SemVer 2.0.0, such as 1.0.0"
	}
	if e.Class == "" {
		return text + "version " + e.New + " is lower than " + e.Old + ", the version declared before"
	}
	return text + string(e.Class) + " changes after version " + e.Old + " need at least version " + e.AtLeast + ", but " +
		e.New + " is declared"
}

// checkVersion returns nil if a version was raised by at least the class of the
// changes. An unknown class counts as Breaking, and "" as no change.
func checkVersion(old, now string, class Class) *VersionError {
	from, errOld := semver.StrictNewVersion(old)
	to, errNew := semver.StrictNewVersion(now)
	e := &VersionError{Rule: ruleVersionForm, Old: old, New: now, Class: class}
	if errOld == nil {
		e.AtLeast = lowestVersion(from, class).String()
	}
	if errOld != nil || errNew != nil {
		return e
	}
	e.Rule = ruleVersionRaised
	if class == "" {
		if to.LessThan(from) {
			return e
		}
		return nil
	}
	atLeast := lowestVersion(from, class)
	if to.GreaterThan(from) && !core(to).Equal(core(from)) {
		atLeast = nextVersion(from, class) // a pre-release allows changes of its own release only
	}
	e.AtLeast = atLeast.String()
	if !to.GreaterThan(from) || core(to).LessThan(atLeast) {
		return e
	}
	return nil
}

// core returns v without its pre-release and build metadata.
func core(v *semver.Version) *semver.Version {
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
}

// lowestVersion returns the lowest release after v that may have a change of
// this class. For a pre-release, that is its own release, if it allows such a
// change.
func lowestVersion(v *semver.Version, class Class) *semver.Version {
	if class == "" || v.Prerelease() != "" && allows(core(v), class) {
		return core(v)
	}
	return nextVersion(v, class)
}

// allows reports whether a release may have a change of this class: whether
// the numbers below the one that the class asks for are zero.
func allows(release *semver.Version, class Class) bool {
	switch class {
	case Patch:
		return true
	case Additive:
		return release.Patch() == 0
	case Breaking:
	}
	return release.Patch() == 0 && (release.Minor() == 0 || release.Major() == 0)
}

// nextVersion returns the lowest release after the release of v that may have a
// change of this class.
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

// CheckVersions compares two snapshots as [Diff] does. It returns an error for
// each tool whose version was not raised by at least the largest class of its
// changes, sorted by tool.
//
// A renamed tool is compared with the version under its old name. New and
// removed tools may have any version. Two rules demand no new version:
// version.changed, because a version may always be raised, and failures.guard,
// because the guard's lines follow from clauses that have classes of their own.
//
// The rules are those of Semantic Versioning 2.0.0 as the MCP Tool Definition
// Specification 1.0.0 uses them:
//
//   - Breaking changes need a higher MAJOR, Additive changes at least a higher
//     MINOR, and Patch changes at least a higher PATCH. Without changes, any
//     version is allowed that is not lower.
//   - Below 1.0.0 nothing is stable yet (SemVer §4). Breaking and Additive
//     changes need a higher MINOR, and Patch changes a higher PATCH. 1.0.0 is
//     higher than all of them.
//   - A pre-release comes before its release (SemVer §9, §11): 2.0.0-rc.1 is
//     enough for a breaking change after 1.4.2. Between pre-releases of one
//     MAJOR.MINOR.PATCH, and from a pre-release to its release, everything may
//     change that the release may change: anything before X.0.0 (or 0.Y.0),
//     additions before X.Y.0, and otherwise patches. From a pre-release to any
//     other version, the rules are those from its release.
//   - Build metadata (SemVer §10) raises nothing.
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

// versionClass returns the class by which the tool author must raise the
// version.
func versionClass(changes []Change) Class {
	return largestClass(slices.DeleteFunc(changes, func(c Change) bool {
		return c.Rule == "failures.guard" || c.Rule == "version.changed"
	}))
}

// RemovableFrom returns the lowest version after this one that may break
// callers. From then on, an alias or a deprecated part may be removed. After
// 1.4.2 it is 2.0.0, after 0.3.1 it is 0.4.0, and after the pre-releases
// 2.0.0-rc.1 and 1.5.0-rc.1 it is 2.0.0. It returns a [*VersionError] if
// version is not SemVer.
func RemovableFrom(version string) (string, error) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		return "", &VersionError{Rule: ruleVersionForm, Old: version, Class: Breaking}
	}
	return lowestVersion(v, Breaking).String(), nil
}
