package folder

import (
	"context"
	"io"
	"os"
	"syscall"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
)

// A ReadInput holds the arguments of files.read.
type ReadInput struct {
	Path string `json:"path" jsonschema_description:"The file, relative to the root, such as notes/today.txt."`
}

// A ReadOutput is the result of files.read.
type ReadOutput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (f *Folder) read(_ context.Context, in ReadInput) (ReadOutput, error) {
	if err := checkPath(in.Path); err != nil {
		return ReadOutput{}, err
	}
	// Without O_NONBLOCK, opening a pipe would wait for its writer.
	file, err := f.root.OpenFile(in.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ReadOutput{}, failure(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return ReadOutput{}, failure(err)
	case info.IsDir():
		return ReadOutput{}, refused("the path is a folder, not a file").Hint("List it with files.list.")
	case !info.Mode().IsRegular():
		return ReadOutput{}, refused("the path is not a regular file")
	}
	content, err := io.ReadAll(io.LimitReader(file, maxContent+1))
	switch {
	case err != nil:
		return ReadOutput{}, failure(err)
	case len(content) > maxContent:
		return ReadOutput{}, ErrTooLarge.At("/path")
	case !utf8.Valid(content):
		return ReadOutput{}, ErrNotText.At("/path")
	}
	return ReadOutput{Path: in.Path, Content: string(content)}, nil
}

func (f *Folder) filesRead() (*contract.Tool, error) {
	return contract.New("files.read", f.read).
		From(defaults()).
		Title("Read file").
		Description("Reads a text file. Links are followed within the root. Characters that cannot be seen are left out.").
		Effect(risk.ReadOnly).
		Permissions("files:read").
		Failures(ErrInvalidPath, ErrNotFound, ErrTooLarge, ErrNotText, ErrStorageUnavailable).
		MaxResultBytes(16 * maxContent). // in JSON a byte takes up to six, and the result has the content twice
		Build()
}
