package folder

import (
	"errors"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// maxContent bounds the content of a file that is written or read, in bytes.
const maxContent = 256 << 10

// A Folder gives tools access to one folder and everything below it. Make one
// with [Open]. It is safe for concurrent use, and other processes may use the
// same folder.
type Folder struct {
	root *os.Root
	full bool
}

// Open opens the folder at path, which must exist. If full is true, every write
// fails as on a full disk.
func Open(path string, full bool) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, full: full}, nil
}

// Close releases the folder. Further calls answer storage_unavailable.
func (f *Folder) Close() error { return f.root.Close() }

// Tools returns the tools of the folder. The error names every mistake in their
// contracts.
func (f *Folder) Tools() ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, build := range []func() (*contract.Tool, error){f.filesList, f.filesRead, f.filesWrite} {
		tool, err := build()
		tools = append(tools, tool)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools, nil
}

// defaults returns the clauses that the tools share. Results are untrusted,
// because names and contents of files may come from anybody.
func defaults() contract.Base {
	return contract.Base{
		Version:  "1.0.0",
		Category: "files",
		Trust:    trust.Untrusted,
	}
}
