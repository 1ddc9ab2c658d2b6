package contracttest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
)

// updateEnv is the environment variable that lets [Golden] write its files. Set
// it to a value that [strconv.ParseBool] reads as true.
const updateEnv = "CONTRACTTEST_UPDATE"

// Golden compares the tools' contracts with the snapshot that is checked in at
// path, by convention "testdata/contracts.json". The path is relative to the
// package's directory. Pass all tools of a server. If the server does not use
// the default naming, use [GoldenSnapshot]. Golden calls no handler. It fails t
//
//   - for every change that the snapshot does not have,
//   - for every tool whose version was not raised enough; see
//     [compat.CheckVersions] and [Unreleased],
//   - for every downgrade that has no reason, and every removed tool that was
//     not deprecated first and has no reason; see [compat.Change],
//   - for every recorded reason that no longer matches anything.
//
// # Recording
//
// To record a change, run the test once with the environment variable
// CONTRACTTEST_UPDATE, and check in what it writes:
//
//	CONTRACTTEST_UPDATE=1 go test ./...
//
// If there is no snapshot, it is written. Otherwise an update still fails for a
// version that is too low and for a missing reason, and then leaves the
// snapshot as it is. If the package under test defines a flag -update, it does
// the same as the variable. If both are set, the variable counts. Golden itself
// defines no such flag, because a package can define a flag only once, and
// because "go test ./... -update" fails in every package without one.
//
// If two branches conflict in the snapshot, do not merge it by hand: take the
// whole file from the branch that you merge into, and record again. Keep the
// reasons of both branches.
//
// # Reasons
//
// Reasons are kept in a file next to the snapshot, named with ".reasons.json"
// in place of ".json". An update adds an entry for every change that needs a
// reason, with its tool, pointer and rule, and the old and new values. A value
// of at most 100 bytes is written as it is, a longer one as its digest, made
// like [contract.Document.Digest], and no value as null. Write the reason in
// the member "why" and update again.
//
// An entry stays as long as the contract is as weak as the entry records, or
// the tool is gone. Otherwise an update removes it.
//
// A side effect's place in its list means nothing. Its entry therefore has the
// list's pointer, with the side effect's description in the member
// "sideEffect". A side effect with another description is a different side
// effect, without reasons. If several have the same description, the member
// "among" has all of them, so that the entry covers no later change to any of
// them.
func Golden(t testing.TB, path string, tools ...*contract.Tool) {
	t.Helper()
	built, err := compat.NewSnapshot(tools...)
	if err != nil {
		t.Errorf("contracttest: %v", err)
		return
	}
	GoldenSnapshot(t, path, built)
}

// GoldenSnapshot is [Golden] for a snapshot of all tools of a server. Set its
// Names if the server lists dotted names:
//
//	built, err := compat.NewSnapshot(tools...)
//	...
//	built.Names = contract.Dotted
//	contracttest.GoldenSnapshot(t, "testdata/contracts.json", built)
//
// Set its Capabilities to record what the tools' source can reach. A tool that
// starts to reach more then fails t until the reason is recorded, even if its
// contract is the same:
//
//	report, err := effectcheck.Analyze(tools)
//	...
//	built.Capabilities = report.Capabilities()
func GoldenSnapshot(t testing.TB, path string, built compat.Snapshot) {
	t.Helper()
	if len(built.Tools) == 0 {
		t.Errorf("contracttest: there are no tools to compare with %s", path)
		return
	}
	update := isUpdating()
	recorded, err := readSnapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case !update:
			t.Errorf("contracttest: %s does not exist; write it with %s=1 go test and check it in", path, updateEnv)
		default:
			write(t, path, built.Text)
		}
		return
	}
	if err != nil {
		t.Errorf("contracttest: %s: %v%s", path, err, afterConflict(path, snapshotWayOut))
		return
	}
	reasons, err := readReasons(reasonsPath(path))
	if err != nil {
		t.Errorf("contracttest: %s: %v%s", reasonsPath(path), err, afterConflict(reasonsPath(path), reasonsWayOut))
		return
	}
	c := compare(path, recorded, built, reasons)
	if _, ok := t.(unreleased); ok {
		c.versions, c.order = nil, nil
	}
	if !update {
		if message := c.failure(); message != "" {
			t.Errorf("contracttest: %s", message)
		}
		return
	}
	c.update(t)
}

// Unreleased returns t for [Golden] and [GoldenSnapshot] before a server's
// first release. They then demand no versions, because no caller knows a
// contract yet. Everything else stays the same: a change is still recorded, and
// a downgrade still needs a reason. Remove it with the first release:
//
//	contracttest.Golden(contracttest.Unreleased(t), "testdata/contracts.json", tools...)
func Unreleased(t testing.TB) testing.TB { return unreleased{t} }

type unreleased struct{ testing.TB }

// isUpdating reads the environment on every call, so that tests share no state.
func isUpdating() bool {
	if on, err := strconv.ParseBool(os.Getenv(updateEnv)); err == nil {
		return on
	}
	f := flag.Lookup("update")
	if f == nil {
		return false
	}
	getter, ok := f.Value.(flag.Getter)
	if !ok {
		return false
	}
	on, _ := getter.Get().(bool)
	return on
}

func readSnapshot(path string) (compat.Snapshot, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return compat.Snapshot{}, err
	}
	return compat.ParseSnapshot(data)
}

// update records what may be recorded, and fails t for the rest.
func (c *comparison) update(t testing.TB) {
	t.Helper()
	if c.reasons.replace(c.updatedReasons()) {
		write(t, reasonsPath(c.path), c.reasons.text)
	}
	if message := c.refusal(); message != "" {
		t.Errorf("contracttest: %s", message)
		return
	}
	if c.isRecorded() {
		return
	}
	write(t, c.path, c.built.Text)
}

// write writes a file with the contents that text returns, and logs it.
func write(t testing.TB, path string, text func() ([]byte, error)) {
	t.Helper()
	data, err := text()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Errorf("contracttest: %s cannot be written: %v", path, err)
		return
	}
	t.Logf("contracttest: wrote %s", path)
}
