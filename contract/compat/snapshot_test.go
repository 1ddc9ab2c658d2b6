package compat_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

func requireSnapshotError(t *testing.T, err error) {
	t.Helper()
	require.ErrorContains(t, err, "compat: snapshot: [")
}

func TestSnapshot_IsSortedAndCanBeReadBack(t *testing.T) {
	t.Parallel()
	read, write := build(t, reading().Description("A <b> & c.")), build(t, writing())
	s, err := compat.NewSnapshot(write, read)
	require.NoError(t, err)
	other, err := compat.NewSnapshot(read, write)
	require.NoError(t, err)
	assert.Equal(t, []string{"notes.read", "notes.write"}, []string{s.Tools[0].Name, s.Tools[1].Name})

	text, err := s.Text()
	require.NoError(t, err)
	otherText, err := other.Text()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(otherText))
	assert.True(t, bytes.HasSuffix(text, []byte("}\n")))
	assert.Contains(t, string(text), "A <b> & c.", "text as it is")

	back, err := compat.ParseSnapshot(text)
	require.NoError(t, err)
	assert.Empty(t, compat.Diff(s, back))
	again, err := back.Text()
	require.NoError(t, err)
	assert.Equal(t, string(text), string(again))
	digest, err := s.Digest()
	require.NoError(t, err)
	backDigest, err := back.Digest()
	require.NoError(t, err)
	assert.Equal(t, digest, backDigest)
	assert.Regexp(t, `^sha256:[0-9a-f]{64}$`, digest)
}

func TestSnapshot_ZeroValueIsAServerWithoutTools(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(compat.Snapshot{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"format":1,"names":"underscore","tools":[]}`, string(data))
	assert.Empty(t, compat.Diff(compat.Snapshot{}, compat.Snapshot{}))
}

// Snapshots of before have no member for it, and dotted names were the default.
func TestSnapshot_RecordsTheNaming(t *testing.T) {
	t.Parallel()
	s, err := compat.NewSnapshot(build(t, writing()))
	require.NoError(t, err)
	assert.Equal(t, contract.Underscore, s.Names, "as a server without options lists them")
	for text, naming := range map[string]contract.Naming{
		`{"format":1,"tools":[]}`:                      contract.Dotted,
		`{"format":1,"names":"dotted","tools":[]}`:     contract.Dotted,
		`{"format":1,"names":"underscore","tools":[]}`: contract.Underscore,
	} {
		read, err := compat.ParseSnapshot([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, naming, read.Names, text)
		var decoded compat.Snapshot
		require.NoError(t, json.Unmarshal([]byte(text), &decoded))
		assert.Equal(t, naming, decoded.Names, text)
		written, err := json.Marshal(read)
		require.NoError(t, err)
		assert.JSONEq(t, `{"format":1,"names":"`+naming.String()+`","tools":[]}`, string(written))
	}
	kept := s
	requireSnapshotError(t, json.Unmarshal([]byte(`{"format":1,"names":"flat","tools":[]}`), &kept))
	assert.Equal(t, s, kept, "an error leaves it unchanged")
}

func TestNewSnapshot_ReportsEveryMistake(t *testing.T) {
	t.Parallel()
	tool := build(t, writing())
	_, err := compat.NewSnapshot(tool, nil, tool)
	requireSnapshotError(t, err)
	assert.Contains(t, err.Error(), "snapshot.tool")
	assert.Contains(t, err.Error(), "snapshot.duplicate")
}

func TestParseSnapshot_IsStrictAndRepeatsNoValue(t *testing.T) {
	t.Parallel()
	tool, err := json.Marshal(build(t, writing()))
	require.NoError(t, err)
	good := `{"format":1,"tools":[` + string(tool) + `]}`
	_, err = compat.ParseSnapshot([]byte(good))
	require.NoError(t, err)
	for _, c := range []struct{ name, text, rule, pointer string }{
		{"no JSON", `["hunter2"`, "json.syntax", ""},
		{"an unknown member", `{"format":1,"tools":[],"hunter2":1}`, "json.bind", "/hunter2"},
		{"an unknown member of a tool", strings.Replace(good, `"name"`, `"hunter2":1,"name"`, 1), "json.bind", "/tools/0/hunter2"},
		{"a member twice", `{"format":1,"format":1,"tools":[]}`, "json.duplicate", "/format"},
		{"an unknown value of an enum", strings.Replace(good, `"risk":"medium"`, `"risk":"hunter2"`, 1), "json.bind", "/tools/0/risk"},
		{"another format", `{"format":2,"tools":[]}`, "snapshot.format", "/format"},
		{"no format", `{"tools":[]}`, "snapshot.format", "/format"},
		{"another format of a tool", strings.Replace(good, `[{"format":1`, `[{"format":2`, 1), "snapshot.format", "/tools/0/format"},
		{"a tool without a name", strings.Replace(good, `"name":"notes.write"`, `"name":""`, 1), "snapshot.tool", "/tools/0/name"},
		{"a tool twice", `{"format":1,"tools":[` + string(tool) + `,` + string(tool) + `]}`, "snapshot.duplicate", "/tools/1/name"},
		{"a security level over 10", strings.Replace(good, `"name"`, `"securityLevel":11,"name"`, 1), "snapshot.tool",
			"/tools/0/securityLevel"},
		{"a failure without a class", strings.Replace(good, `"class":"retryable",`, ``, 1), "snapshot.tool", "/tools/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := compat.ParseSnapshot([]byte(c.text))
			requireSnapshotError(t, err)
			first, _, _ := strings.Cut(err.Error(), "\n")
			assert.Contains(t, first, strings.TrimSpace("["+c.rule+"] "+c.pointer))
			assert.NotContains(t, strings.ReplaceAll(err.Error(), c.pointer, ""), "hunter2")
		})
	}
}
