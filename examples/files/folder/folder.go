package folder

import (
	"errors"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

// maxContent is the most that a file may hold to be written or read, in bytes.
const maxContent = 256 << 10

// A Folder is a folder of the operator's choice, with everything below it.
// Make one with [Open]. It is safe for concurrent use, also by other processes.
type Folder struct {
	root *os.Root
	full bool
}

// Open opens the folder at path, which has to be there. Where full is true,
// every write fails as on a full disk.
func Open(path string, full bool) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, full: full}, nil
}

// Close gives the folder up. Further calls answer storage_unavailable.
func (f *Folder) Close() error { return f.root.Close() }

// Tools returns the contracts over f. The error names every mistake in them.
func (f *Folder) Tools() ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, build := range []func() (*contract.Tool, error){f.filesList, f.filesRead, f.filesWrite} {
		tool, err := build()
		tools, errs = append(tools, tool), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools, nil
}

// defaults are the clauses that the tools share. Names and contents may come
// from anybody, so that what is returned is not trusted.
func defaults() *contract.BaseBuilder {
	return contract.Base().
		Version("1.0.0").
		Category("files").
		Trust(trust.Untrusted)
}
