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

// UpdateEnv is the environment variable that lets [Golden] write: any value that [strconv.ParseBool] reads as true.
const UpdateEnv = "CONTRACTTEST_UPDATE"

// Golden fails t where the tools' contracts are not those of the snapshot that is checked in at path, by convention
// "testdata/contracts.json". Hand it all tools of a server. It fails
//
//   - for every change that the snapshot does not have,
//   - for every tool whose version was not raised by at least the class of its changes, see [compat.CheckVersions],
//   - for every downgrade, see [compat.Change], and every tool removed without having been deprecated, that nobody gave
//     a reason for,
//   - for every recorded reason that matches nothing any more.
//
// To record a change, run the test once with the environment variable [UpdateEnv]:
//
//	CONTRACTTEST_UPDATE=1 go test ./...
//
// Check in what it writes. A snapshot that is missing is written as the tools are; else a version that is too low and a
// reason that is missing fail while updating too, and the snapshot stays as it is. A flag -update that the package
// under test defines does the same as the variable, which wins where both are there. Golden defines no such flag: a
// package can define a flag only once, and go test ./... -update fails in every package that has none.
//
// Reasons stand beside the snapshot, at path with ".reasons.json" in place of ".json". Updating adds an entry for every
// change that needs one, with the tool, the pointer, the rule, and what was and what is there: the value itself where it
// has at most 100 bytes, else its digest (RFC 8785, SHA-256, as [contract.Document.Digest]); null is nothing. Its member
// why is empty, and a person fills it in and updates again. An entry stays while the contract is as weak as it says, or
// the tool gone. Updating removes one that matches nothing any more: what was weakened was made strong again, changed
// otherwise, or went with its tool.
//
// A reason about a side effect holds wherever in the list it stands: the pointer is that of the list, and the member
// sideEffect is its description. One that is described in other words is another one: its reasons go with the words, and
// being described anew needs none. Of several with one description, each reason also has in the member among what they
// all are, in whatever order: it covers no later change of any of them. A file that names side effects by their place is
// still read, by the snapshot beside it, and the next update writes it anew.
//
// A snapshot in which two branches conflict is not merged by hand: take the whole file of the branch that is merged into,
// and record again. Of the reasons, keep the entries of both.
//
// path is relative to the package's directory, as everything a test reads. Golden calls no handler.
func Golden(t testing.TB, path string, tools ...*contract.Tool) {
	t.Helper()
	if len(tools) == 0 {
		t.Errorf("contracttest: there are no tools to compare with %s", path)
		return
	}
	built, err := compat.NewSnapshot(tools...)
	if err != nil {
		t.Errorf("contracttest: %v", err)
		return
	}
	update := updating()
	recorded, err := readSnapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		switch {
		case !update:
			t.Errorf("contracttest: %s does not exist; write it with %s=1 go test and check it in", path, UpdateEnv)
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
	if !update {
		if message := c.failure(); message != "" {
			t.Errorf("contracttest: %s", message)
		}
		return
	}
	c.update(t)
}

// updating asks the environment on every call: there is no state that two tests share.
func updating() bool {
	if on, err := strconv.ParseBool(os.Getenv(UpdateEnv)); err == nil {
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

// update records what may be recorded and fails for the rest.
func (c *comparison) update(t testing.TB) {
	t.Helper()
	if c.reasons.replace(c.entries()) {
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

// write makes a file of what text returns, and says so.
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
