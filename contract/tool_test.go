package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

func named(name string) *noteBuilder {
	return complete(contract.New(name, handler[noteInput, noteOutput])).Effect(risk.LowRiskWrite)
}

func TestBuildAll_BuildsAllInTheirOrder(t *testing.T) {
	t.Parallel()
	tools, err := contract.BuildAll(named("notes.write").Permissions("notes:write"), named("notes.edit").Permissions("notes:write"))
	require.NoError(t, err)
	require.Len(t, tools, 2)
	assert.Equal(t, []string{"notes.write", "notes.edit"}, []string{tools[0].Name(), tools[1].Name()})

	none, err := contract.BuildAll()
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestBuildAll_JoinsTheMistakesOfAllSortedByTool(t *testing.T) {
	t.Parallel()
	tools, err := contract.BuildAll(
		named("notes.write").Permissions("notes:write").MaxConcurrent(-1).MaxResultBytes(-1),
		named("notes.read").Permissions("notes:read"),
		nil,
		named("notes.edit"),
	)
	require.NotEmpty(t, contract.DeclarationErrors(err))
	assert.Nil(t, tools)
	assert.ErrorContains(t, err, "builder 2 is nil")
	var got []string
	for _, m := range contract.DeclarationErrors(err) {
		got = append(got, m.Tool+" "+m.Where)
	}
	assert.Equal(t, []string{"notes.edit permissions", "notes.write maxConcurrent", "notes.write maxResultBytes"}, got)
}

func TestPermissionsOf_HasEachPermissionOnceAndSorted(t *testing.T) {
	t.Parallel()
	write := build(t, named("notes.write").Permissions("notes:write", "notes:read").DiscoverWith("notes:read"))
	read := build(t, named("notes.read").Permissions("notes:read", "attic:open"))
	assert.Equal(t, []string{"attic:open", "notes:read", "notes:write"}, contract.PermissionsOf(write, nil, read))
	assert.Empty(t, contract.PermissionsOf())
}

func ExampleBuildAll() {
	_, err := contract.BuildAll(named("notes.write"), named("notes.edit").Permissions("notes:write").MaxConcurrent(-1))
	for _, m := range contract.DeclarationErrors(err) {
		fmt.Println(m.Tool, m.Rule)
	}
	// Output:
	// notes.edit limit.range
	// notes.write permissions.missing
}
