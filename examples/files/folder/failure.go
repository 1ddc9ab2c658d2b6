package folder

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/toolcontract/toolcontract/contract"
)

// The declared failures. Failures are retryable if another path or content can
// help, and fatal if the disk does not work.
var (
	ErrInvalidPath = contract.Retryable("invalid_path",
		"The path must be relative to the root, use slashes, and name a file or a folder as the tool requires.")
	ErrNotFound           = contract.Retryable("not_found", "There is nothing at the path.")
	ErrAlreadyExists      = contract.Retryable("already_exists", "There is something at the path already, and overwrite is false.")
	ErrTooLarge           = contract.Retryable("too_large", "The content is over 256 KiB.")
	ErrNotText            = contract.Retryable("not_text", "The file does not hold text in UTF-8.")
	ErrStorageUnavailable = contract.Fatal("storage_unavailable", "The disk is full, or cannot be read or written.")
)

// refused returns an error about a path. The error does not contain the path.
func refused(message string) *contract.Error {
	return ErrInvalidPath.Errorf("%s", message).At("/path")
}

// failure maps an error of the file system to a declared failure. The text of
// the error has paths of the server, so it goes only to the audit log.
func failure(err error) error {
	var number syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotFound.Wrap(err).At("/path").Hint("List the folder with files.list.")
	case errors.Is(err, fs.ErrPermission):
		return refused("the server has no permission for the path").Wrap(err)
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTDIR):
		return refused("the path has a file in place of a folder, or a folder in place of a file").Wrap(err)
	case errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		return refused("the path has too many links, or a name that is too long").Wrap(err)
	case errors.Is(err, fs.ErrClosed), errors.As(err, &number):
		return ErrStorageUnavailable.Wrap(err)
	default: // os.Root refused the path, which has no error number
		return refused("the path leaves the root").Wrap(err)
	}
}
