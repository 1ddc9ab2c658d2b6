package guard_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
)

type taggedFileInput struct {
	_    contract.FailureTag `code:"already_exists" class:"retryable" description:"The file is there; choose another name."`
	Path string              `json:"path"`
}

// A failure that only a tag declares is returned by its code.
func TestFail_HasTheClassAndTheTextOfItsDeclaration(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err   error
		code  string
		class contract.Class
		text  string
	}{
		"by its code": {contract.Fail("already_exists"), "already_exists", contract.ClassRetryable,
			"already_exists: The file is there; choose another name."},
		"with a pointer": {contract.Fail("already_exists").At("/path"), "already_exists", contract.ClassRetryable,
			"already_exists: The file is there; choose another name.\nAt /path in the arguments."},
		"behind other errors": {fmt.Errorf("write: %w", contract.Fail("already_exists").Wrap(errors.New("s3cret"))), "already_exists",
			contract.ClassRetryable, "already_exists: The file is there; choose another name."},
		"with a text": {contract.Fail("already_exists", "version %d is there", 3), "already_exists", contract.ClassRetryable,
			"already_exists: version 3 is there"},
		"not declared": {contract.Fail("alredy_exists", "s3cret"), contract.CodeInternalError, contract.ClassFatal,
			"internal_error: "},
		"without a code": {contract.Fail(""), contract.CodeInternalError, contract.ClassFatal, "internal_error: "},
		"a code of the guard": {contract.Fail(contract.CodePermissionDenied), contract.CodeInternalError, contract.ClassFatal,
			"internal_error: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{contract.New("file.write", func(context.Context, taggedFileInput) (empty, error) {
				return empty{}, test.err
			}).From(writing()).MustBuild()})
			r := k.call(alice, "file.write", `{"path":"a"}`)
			refused(t, r, test.code, test.class)
			assert.Contains(t, r.Text, test.text)
			assert.NotContains(t, r.Text, "s3cret")
			events := k.events(audit.Terminal)
			require.Len(t, events, 1)
			assert.Equal(t, test.code, events[0].Code)
		})
	}
	locked := contract.New("file.write", func(context.Context, empty) (empty, error) { return empty{}, contract.Fail("locked") }).
		From(writing()).Failures(contract.Fatal("locked", "Another writer has it.")).MustBuild()
	r := newKit(t, []*contract.Tool{locked}).call(alice, "file.write", `{}`)
	refused(t, r, "locked", contract.ClassFatal)
	assert.Contains(t, r.Text, "locked: Another writer has it.")
}
