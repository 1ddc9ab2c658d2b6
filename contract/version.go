package contract

import (
	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/internal/declare"
)

const (
	declaredVersion    declaration[string]      = "version"
	declaredDeprecated declaration[Deprecation] = "deprecated"
)

const (
	ruleVersionMissing  = "version.missing"
	ruleVersionForm     = "version.form"
	ruleDeprecatedSince = "deprecated.since"
	ruleDeprecatedBy    = "deprecated.replacedBy"
)

func versionClause() clause {
	return clause{
		members: []string{"version"},
		keys:    tagKeys{"version": textValue(declaredVersion)},
		base:    func(b *Base, l *layer) { fromBase(l, declaredVersion, b.Version) },
		check:   checkVersion,
		rules: []BuildRule{
			{ID: ruleVersionMissing, Summary: "A contract has a version."},
			{ID: ruleVersionForm, Summary: "A version is SemVer 2.0.0, such as 1.0.0."},
		},
	}
}

// Version sets the contract's version, by Semantic Versioning 2.0.0. Every tool
// needs one.
func (b *Builder[In, Out]) Version(version string) *Builder[In, Out] {
	declaredVersion.set(&b.verbs, version)
	return b
}

func checkVersion(c *checker) {
	version, declared := declaredVersion.in(&c.layer)
	c.doc.Version = version
	if version == "" {
		c.missing(declared, ruleVersionMissing, "version", "the contract has no version", "start with 1.0.0")
	} else if _, err := semver.StrictNewVersion(version); err != nil {
		c.bad(ruleVersionForm, "version", "the version is not SemVer", "write MAJOR.MINOR.PATCH")
	}
}

func deprecatedClause() clause {
	return clause{
		members: []string{"deprecated"},
		keys: tagKeys{
			"deprecatedSince":      partOf(declaredDeprecated, func(d *Deprecation, r *tagReader) { d.Since = r.value }),
			"deprecatedReplacedBy": partOf(declaredDeprecated, func(d *Deprecation, r *tagReader) { d.ReplacedBy = r.value }),
			"deprecatedNote":       partOf(declaredDeprecated, func(d *Deprecation, r *tagReader) { d.Note = r.value }),
		},
		base:  func(b *Base, l *layer) { fromBase(l, declaredDeprecated, b.Deprecated) },
		check: checkDeprecated,
		texts: func(c *checker) {
			if c.doc.Deprecated != nil {
				c.text("deprecated/note", c.doc.Deprecated.Note)
			}
		},
		rules: []BuildRule{
			{ID: ruleDeprecatedSince, Summary: "A deprecation names the version since which it holds."},
			{ID: ruleDeprecatedBy, Summary: "A deprecated tool's replacement is formed as a name."},
		},
	}
}

// Deprecated announces that the tool should no longer be used. Every call's
// outcome carries the notice.
func (b *Builder[In, Out]) Deprecated(d Deprecation) *Builder[In, Out] {
	declaredDeprecated.set(&b.verbs, d)
	return b
}

func checkDeprecated(c *checker) {
	d, declared := declaredDeprecated.in(&c.layer)
	if !declared {
		return
	}
	if _, err := semver.StrictNewVersion(d.Since); err != nil {
		c.bad(ruleDeprecatedSince, "deprecated", "since is not a SemVer version",
			"name the contract's version that deprecated the tool")
	}
	if d.ReplacedBy != "" && !declare.IsName(d.ReplacedBy) {
		c.bad(ruleDeprecatedBy, "deprecated", "replacedBy is not formed as a name", "name the tool to use instead, or leave it out")
	}
	c.doc.Deprecated = &d
}
