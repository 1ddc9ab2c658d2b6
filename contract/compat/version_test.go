package compat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

func TestVersionRaised_FollowsSemVer(t *testing.T) {
	t.Parallel()
	const none = compat.Class("")
	for _, c := range []struct {
		name     string
		old, now string
		class    compat.Class
		rule     string // empty: raised by enough
		atLeast  string
	}{
		{"no change, same version", "1.2.3", "1.2.3", none, "", ""},
		{"no change, higher version", "1.2.3", "1.2.4", none, "", ""},
		{"no change, lower version", "1.2.3", "1.2.2", none, "version.raised", "1.2.3"},
		{"patch by PATCH", "1.2.3", "1.2.4", compat.Patch, "", ""},
		{"patch by nothing", "1.2.3", "1.2.3", compat.Patch, "version.raised", "1.2.4"},
		{"patch by build metadata", "1.2.3", "1.2.3+5", compat.Patch, "version.raised", "1.2.4"},
		{"additive by MINOR", "1.2.3", "1.3.0", compat.Additive, "", ""},
		{"additive by MAJOR", "1.2.3", "2.0.0", compat.Additive, "", ""},
		{"additive by PATCH", "1.2.3", "1.2.4", compat.Additive, "version.raised", "1.3.0"},
		{"breaking by MAJOR", "1.2.3", "2.0.0", compat.Breaking, "", ""},
		{"breaking by MINOR", "1.2.3", "1.3.0", compat.Breaking, "version.raised", "2.0.0"},
		{"breaking downwards", "2.0.0", "1.0.0", compat.Breaking, "version.raised", "3.0.0"},
		{"a class that is none counts as breaking", "1.2.3", "1.3.0", compat.Class("other"), "version.raised", "2.0.0"},
		{"below 1.0.0 breaking by MINOR", "0.3.1", "0.4.0", compat.Breaking, "", ""},
		{"below 1.0.0 breaking by PATCH", "0.3.1", "0.3.2", compat.Breaking, "version.raised", "0.4.0"},
		{"below 1.0.0 additive by PATCH", "0.3.1", "0.3.2", compat.Additive, "version.raised", "0.4.0"},
		{"below 1.0.0 patch by PATCH", "0.3.1", "0.3.2", compat.Patch, "", ""},
		{"to 1.0.0", "0.3.1", "1.0.0", compat.Breaking, "", ""},
		{"to a pre-release of the next MAJOR", "1.4.2", "2.0.0-rc.1", compat.Breaking, "", ""},
		{"to a pre-release of the next MINOR", "1.4.2", "1.5.0-rc.1", compat.Breaking, "version.raised", "2.0.0"},
		{"to a pre-release of the same version", "1.4.2", "1.4.2-rc.1", compat.Patch, "version.raised", "1.4.3"},
		{"between pre-releases", "2.0.0-rc.1", "2.0.0-rc.2", compat.Breaking, "", ""},
		{"between pre-releases downwards", "2.0.0-rc.2", "2.0.0-rc.1", compat.Patch, "version.raised", "2.0.0"},
		{"from a pre-release to its release", "2.0.0-rc.1", "2.0.0", compat.Breaking, "", ""},
		{"a breaking change between pre-releases of a MINOR", "1.5.0-rc.1", "1.5.0-rc.2", compat.Breaking, "version.raised", "2.0.0"},
		{"a breaking change from the pre-release of a MINOR to its release", "1.5.0-rc.1", "1.5.0", compat.Breaking, "version.raised",
			"2.0.0"},
		{"a breaking change from the pre-release of a PATCH to its release", "1.4.3-rc.1", "1.4.3", compat.Breaking, "version.raised",
			"2.0.0"},
		{"a breaking change from the pre-release of a MINOR to that of a MAJOR", "1.5.0-rc.1", "2.0.0-rc.1", compat.Breaking, "", ""},
		{"an additive change between pre-releases of a MINOR", "1.5.0-rc.1", "1.5.0-rc.2", compat.Additive, "", ""},
		{"an additive change from the pre-release of a PATCH to its release", "1.4.3-rc.1", "1.4.3", compat.Additive, "version.raised",
			"1.5.0"},
		{"a patch from the pre-release of a PATCH to its release", "1.4.3-rc.1", "1.4.3", compat.Patch, "", ""},
		{"a breaking change from a pre-release to what follows its release", "2.0.0-rc.1", "2.0.1", compat.Breaking, "version.raised",
			"3.0.0"},
		{"a breaking change from a pre-release past its release, in a pre-release", "2.0.0-rc.1", "2.1.0-rc.1", compat.Breaking,
			"version.raised", "3.0.0"},
		{"below 1.0.0 a breaking change between pre-releases of a MINOR", "0.4.0-rc.1", "0.4.0", compat.Breaking, "", ""},
		{"below 1.0.0 a breaking change between pre-releases of a PATCH", "0.4.1-rc.1", "0.4.1", compat.Breaking, "version.raised",
			"0.5.0"},
		{"no change, from a pre-release to its release", "1.4.3-rc.1", "1.4.3", none, "", ""},
		{"old is no version", "1.2", "1.3.0", compat.Patch, "version.form", ""},
		{"new is no version", "1.2.0", "v1.3.0", compat.Patch, "version.form", "1.2.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := compat.VersionRaised(c.old, c.now, c.class)
			if c.rule == "" {
				require.NoError(t, err)
				return
			}
			var broken *compat.VersionError
			require.ErrorAs(t, err, &broken)
			assert.Equal(t, c.rule, broken.Rule)
			assert.Equal(t, c.atLeast, broken.AtLeast)
		})
	}
}

func TestVersionError_DoesNotRepeatAnInvalidVersion(t *testing.T) {
	t.Parallel()
	assert.NotContains(t, compat.VersionRaised("hunter2", "1.0.0", compat.Patch).Error(), "hunter2")
}

func TestCheckVersions_ReportsToolsWhoseVersionIsTooLow(t *testing.T) {
	t.Parallel()
	named := func(name, version string, permissions ...string) contract.Document {
		return document(t, func(d *contract.Document) { d.Name, d.Version, d.Permissions = name, version, permissions })
	}
	errs := compat.CheckVersions(
		snapshot(named("n.breaks", "1.0.0", "a"), named("n.adds", "1.0.0", "a", "b"), named("n.same", "1.0.0", "a"),
			named("n.gone", "1.0.0", "a")),
		snapshot(named("n.same", "1.0.0", "a"), named("n.adds", "1.1.0", "a"), named("n.breaks", "1.1.0", "a", "b"),
			named("n.fresh", "0.0.1", "a")),
	)
	require.Len(t, errs, 1)
	assert.Equal(t, "n.breaks", errs[0].Tool)
	assert.Equal(t, compat.Breaking, errs[0].Class)
	assert.Equal(t, "2.0.0", errs[0].AtLeast)
}

func TestCheckVersions_IgnoresChangesThatTheToolAuthorDidNotMake(t *testing.T) {
	t.Parallel()
	old := document(t, nil)
	for name, c := range map[string]struct {
		edit change
		rule string // of the change that is still reported
		ok   bool
	}{
		"the guard's words": {func(d *contract.Document) { d.FailureModes[0].Description = "Other words." }, "failures.guard",
			true},
		"a line of the guard": {func(d *contract.Document) { d.FailureModes = d.FailureModes[1:] }, "failures.guard", true},
		"build metadata":      {func(d *contract.Document) { d.Version += "+5" }, "version.changed", true},
		"a higher version":    {func(d *contract.Document) { d.Version = "1.0.1" }, "version.changed", true},
		"a lower version":     {func(d *contract.Document) { d.Version = "0.9.0" }, "version.changed", false},
		"the guard's words and more": {func(d *contract.Document) { d.FailureModes[0].Description, d.Title = "Other words.", "Other" },
			"failures.guard", false},
	} {
		now := document(t, c.edit)
		find(t, compat.DiffDocuments(old, now), c.rule)
		errs := compat.CheckVersions(snapshot(old), snapshot(now))
		if c.ok {
			assert.Empty(t, errs, name)
			continue
		}
		require.Len(t, errs, 1, name)
		assert.Equal(t, "version.raised", errs[0].Rule, name)
		assert.NotContains(t, errs[0].Error(), "undeclared", name)
	}
}

func TestRemovableFrom_IsTheNextBreakingVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"1.4.2": "2.0.0", "0.3.1": "0.4.0", "2.0.0-rc.1": "2.0.0", "1.5.0-rc.1": "2.0.0",
		"0.4.0-rc.1": "0.4.0"} {
		got, err := compat.RemovableFrom(version)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	var broken *compat.VersionError
	_, err := compat.RemovableFrom("1")
	require.ErrorAs(t, err, &broken)
}
