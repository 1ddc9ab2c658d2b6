package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestREADME_CommandsHaveTheDescribedResults(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	k := newKit(t, "-names", "underscore")
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, script, found := strings.Cut(string(readme), "<!-- run by readme_test.go -->\n```sh\n")
	require.True(t, found)
	script, _, found = strings.Cut(script, "```\n")
	require.True(t, found)
	script = strings.ReplaceAll(script, "http://127.0.0.1:8080", k.origin)
	out, err := exec.CommandContext(t.Context(), "sh", "-euc", script).CombinedOutput()
	require.NoError(t, err, string(out))
	rest := string(out)
	for _, want := range []string{
		"HTTP/1.1 401", `Bearer resource_metadata="` + k.origin,
		`"resource":"` + k.url + `"`,
		"HTTP/1.1 401", `error="invalid_token"`,
		"permission_denied",
		`"status":"ok"`,
		"step_up_required", `max_age=`,
		`"url":"` + k.origin + `/step-up?id=`,
		`"status":"ok"`,
		`"status":"replayed"`,
	} {
		_, after, found := strings.Cut(rest, want)
		assert.True(t, found, "%s is missing in, or out of order:\n%s", want, out)
		rest = after
	}
	assert.EqualValues(t, 18_750_00, k.balance("account_read"))
}
