package folder

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// maxEntries bounds the entries of a list.
const maxEntries = 1000

// A ListInput holds the arguments of files.list.
type ListInput struct {
	Path string `json:"path,omitempty" jsonschema_description:"The folder, relative to the root, such as notes. If it is omitted, empty or a dot, the root is listed."`
}

// An Entry is one file or folder of a list.
type Entry struct {
	Name string `json:"name"`
	Dir  bool   `json:"dir"`
	Size int64  `json:"size" jsonschema_description:"In bytes; 0 for a folder."`
}

// A ListOutput is the result of files.list, sorted by name.
type ListOutput struct {
	Entries []Entry `json:"entries"`
	More    bool    `json:"more,omitempty" jsonschema_description:"There are entries after these, which are not listed."`
}

func (f *Folder) list(_ context.Context, in ListInput) (ListOutput, error) {
	at := cmp.Or(in.Path, ".")
	if at != "." {
		if err := checkPath(at); err != nil {
			return ListOutput{}, err
		}
	}
	info, err := f.root.Stat(at)
	switch {
	case err != nil:
		return ListOutput{}, failure(err)
	case !info.IsDir():
		return ListOutput{}, refused("the path is not a folder")
	}
	children, err := fs.ReadDir(f.root.FS(), at)
	if err != nil {
		return ListOutput{}, failure(err)
	}
	slices.SortFunc(children, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	out := ListOutput{Entries: []Entry{}}
	for _, child := range children {
		entry, ok := f.entry(at, child.Name())
		if !ok {
			continue
		}
		if len(out.Entries) == maxEntries {
			out.More = true
			break
		}
		out.Entries = append(out.Entries, entry)
	}
	return out, nil
}

// entry describes a child of a folder. It reports false for a child that is
// neither a file nor a folder, and for a child that no path names: an
// unfinished file, or a link that leads out of the root.
func (f *Folder) entry(folder, name string) (Entry, bool) {
	if checkName(name) != nil {
		return Entry{}, false
	}
	info, err := f.root.Stat(path.Join(folder, name))
	switch {
	case err != nil:
		return Entry{}, false
	case info.IsDir():
		return Entry{Name: name, Dir: true}, true
	default:
		return Entry{Name: name, Size: info.Size()}, info.Mode().IsRegular()
	}
}

func (f *Folder) filesList() (*contract.Tool, error) {
	return contract.New("files.list", f.list).
		From(defaults()).
		Title("List files").
		Description("Lists the files and folders in a folder, at most 1000 of them.").
		Effect(risk.ReadOnly).
		Permissions("files:read").
		Failures(ErrInvalidPath, ErrNotFound, ErrStorageUnavailable).
		Build()
}
