package folder

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A WriteInput holds the arguments of files.write.
type WriteInput struct {
	Path      string `json:"path" jsonschema_description:"The file, relative to the root, such as notes/today.txt. Missing folders are made."`
	Content   string `json:"content" contract:"sensitive" jsonschema:"maxLength=262144" jsonschema_description:"The whole content, at most 256 KiB in UTF-8."`
	Overwrite bool   `json:"overwrite,omitempty" jsonschema:"default=false" jsonschema_description:"Replace a file that is there already. Its content is lost."`
}

// A WriteOutput is the result of files.write.
type WriteOutput struct {
	Path         string `json:"path"`
	BytesWritten int    `json:"bytesWritten"`
}

// errFull is the error of a full disk.
var errFull = &fs.PathError{Op: "write", Path: temporary, Err: syscall.ENOSPC}

func (f *Folder) write(_ context.Context, in WriteInput) (WriteOutput, error) {
	if err := checkPath(in.Path); err != nil {
		return WriteOutput{}, err
	}
	if len(in.Content) > maxContent {
		return WriteOutput{}, ErrTooLarge.At("/content")
	}
	mode, err := f.target(in.Path, in.Overwrite)
	if err != nil {
		return WriteOutput{}, err
	}
	parent := path.Dir(in.Path)
	if err := f.makeFolder(parent); err != nil {
		return WriteOutput{}, writeFailure(err)
	}
	unfinished := path.Join(parent, temporary+rand.Text())
	defer func() { _ = f.root.Remove(unfinished) }() // an unfinished file does no harm
	if err := f.fill(unfinished, in.Content, mode); err != nil {
		return WriteOutput{}, writeFailure(err)
	}
	if err := f.publish(unfinished, in.Path, in.Overwrite); err != nil {
		return WriteOutput{}, err
	}
	return WriteOutput{Path: in.Path, BytesWritten: len(in.Content)}, nil
}

// target returns the mode of the file at the path, or 0 if there is none. It
// refuses most calls that cannot succeed before they write; publish decides.
func (f *Folder) target(p string, overwrite bool) (fs.FileMode, error) {
	info, err := f.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, failure(err)
	case info.IsDir():
		return 0, refused("the path is a folder, not a file")
	case !info.Mode().IsRegular():
		return 0, refused("the path is a link, or not a regular file")
	case !overwrite:
		return 0, alreadyExists(fs.ErrExist)
	default:
		return info.Mode().Perm(), nil
	}
}

// makeFolder creates the folder, and its parents, if they are missing.
func (f *Folder) makeFolder(p string) error {
	if p == "." {
		return nil
	}
	if info, err := f.root.Stat(p); err == nil && info.IsDir() {
		return nil
	}
	if f.full {
		return errFull
	}
	return f.root.MkdirAll(p, 0o755)
}

// fill creates a file and syncs its content to disk. A mode other than 0 is the
// mode of the file that the new one replaces.
func (f *Folder) fill(p, content string, mode fs.FileMode) error {
	private := fs.FileMode(0o600) // until Chmod below: the replaced file may be private
	if mode == 0 {
		private = 0o644
	}
	file, err := f.root.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return err
	}
	write := func() error {
		if f.full {
			_, err := file.WriteString(content[:len(content)/2])
			return errors.Join(err, errFull)
		}
		if _, err := file.WriteString(content); err != nil {
			return err
		}
		if mode != 0 {
			if err := file.Chmod(mode); err != nil {
				return err
			}
		}
		return file.Sync()
	}
	return errors.Join(write(), file.Close())
}

// publish gives a finished file its name in one step.
func (f *Folder) publish(finished, p string, overwrite bool) error {
	if overwrite {
		return writeFailure(f.root.Rename(finished, p))
	}
	err := f.root.Link(finished, p) // a rename would replace a file that appeared meanwhile
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return alreadyExists(err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errors.ErrUnsupported): // no hard links here
		return ErrStorageUnavailable.Wrap(err)
	default:
		return writeFailure(err)
	}
}

// writeFailure is failure for operations whose path need not exist.
func writeFailure(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refused("a folder of the path cannot be created, or was removed meanwhile").Wrap(err)
	}
	return failure(err)
}

func alreadyExists(cause error) error {
	return ErrAlreadyExists.Wrap(cause).At("/path").Hint("Choose another path, or set overwrite.")
}

func (f *Folder) filesWrite() (*contract.Tool, error) {
	return contract.New("files.write", f.write).
		From(defaults()).
		Title("Write file").
		Description("Writes a whole text file in one step, so that no reader sees a part of it. A link at the path is refused.").
		Trust(trust.Trusted). // the result is the caller's path and a number
		Effect(risk.HighRiskWrite).
		ConfirmNever("The operator gave agents this folder, and nothing outside it can be changed.").
		Permissions("files:write").
		SideEffects(contract.SideEffect{
			Description: "A file is created, and the missing folders of its path.",
			Reach:       contract.Internal,
			Undo:        contract.Reversible,
			OnRepeat:    "Nothing: the call answers already_exists.",
			Affects:     "The folder that the server was started for.",
		}, contract.SideEffect{
			Description: "With overwrite, the content that a file had before is lost.",
			Reach:       contract.Internal,
			Undo:        contract.Irreversible,
			OnRepeat:    "Nothing: the file holds that content already.",
			Affects:     "Other users of the file.",
		}).
		Idempotency(contract.Idempotency{Mode: idempotency.Native}).
		Failures(ErrInvalidPath, ErrAlreadyExists, ErrTooLarge, ErrStorageUnavailable).
		AuditEvent("file.written").
		Build()
}
