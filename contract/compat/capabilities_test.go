package compat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

func reaching(d contract.Document, capabilities ...string) compat.Snapshot {
	s := snapshot(d)
	s.Capabilities = map[string][]string{d.Name: capabilities}
	return s
}

func TestDiff_ReportsCapabilities(t *testing.T) {
	t.Parallel()
	d := document(t, nil)
	changes := compat.Diff(reaching(d, "FILES/READ"), reaching(d, "NETWORK"))
	require.Len(t, changes, 2)
	gained, lost := find(t, changes, "capability.gained"), find(t, changes, "capability.lost")
	assert.Equal(t, d.Name, gained.Tool)
	assert.Equal(t, "/capabilities", gained.Pointer)
	assert.JSONEq(t, `"NETWORK"`, string(gained.To))
	assert.JSONEq(t, `"FILES/READ"`, string(lost.From))
	assert.Empty(t, compat.CheckVersions(reaching(d), reaching(d, "NETWORK")), "the contract has not changed")

	assert.Empty(t, find(t, compat.Diff(snapshot(d), reaching(d, "NETWORK")), "capabilities.recorded").Tool)
	assert.Empty(t, find(t, compat.Diff(reaching(d), snapshot(d)), "capabilities.dropped").Tool)
}

func TestDiff_FollowsTheCapabilitiesOfARenamedTool(t *testing.T) {
	t.Parallel()
	old := document(t, nil)
	now := document(t, func(d *contract.Document) { d.Aliases, d.Name = []string{d.Name}, "notes.renamed" })
	for _, c := range compat.Diff(reaching(old, "EXEC"), reaching(now, "EXEC")) {
		assert.NotEqual(t, "/capabilities", c.Pointer)
	}
	find(t, compat.Diff(reaching(old), reaching(now, "EXEC")), "capability.gained")
}

func TestSnapshot_CapabilitiesAreSortedAndCanBeReadBack(t *testing.T) {
	t.Parallel()
	d := document(t, nil)
	text, err := reaching(d, "NETWORK", "EXEC").Text()
	require.NoError(t, err)
	back, err := compat.ParseSnapshot(text)
	require.NoError(t, err)
	assert.Equal(t, map[string][]string{d.Name: {"EXEC", "NETWORK"}}, back.Capabilities)
	again, err := reaching(d, "EXEC", "NETWORK").Text()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
}
