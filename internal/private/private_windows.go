package private

import (
	"errors"
	"io/fs"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Attributes returns the attributes for creating a file that only the user can
// read. It inherits nothing from its folder.
func Attributes() (*windows.SecurityAttributes, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	// D:P is a list that inherits nothing, A allows, and FA is full access.
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;;FA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{
		Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: descriptor,
	}, nil
}

// Create creates a file that only the user can read. The error is fs.ErrExist
// if there is already a file or a link.
func Create(path string) (*os.File, error) {
	attributes, err := Attributes()
	if err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, attributes, windows.CREATE_NEW, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// Check returns [ErrShared] if a file's access control list lets anyone but the
// user, the system and the administrators use it.
func Check(path string) error {
	descriptor, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return &fs.PathError{Op: "check the access to", Path: path, Err: err}
	}
	list, _, err := descriptor.DACL()
	if errors.Is(err, windows.ERROR_OBJECT_NOT_FOUND) || err == nil && list == nil {
		return ErrShared // without a list, everyone has access
	}
	if err != nil {
		return err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return err
		}
		if entry.Header.AceType == windows.ACCESS_DENIED_ACE_TYPE || entry.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 {
			continue
		}
		who := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		trusted := entry.Header.AceType == windows.ACCESS_ALLOWED_ACE_TYPE && (who.Equals(user.User.Sid) ||
			who.IsWellKnown(windows.WinLocalSystemSid) || who.IsWellKnown(windows.WinBuiltinAdministratorsSid) ||
			who.IsWellKnown(windows.WinCreatorOwnerRightsSid))
		if !trusted {
			return ErrShared
		}
	}
	return nil
}

// renameTime bounds the wait for other programs that have a file open, such as
// a virus scanner.
const renameTime = 2 * time.Second

// Rename renames a file, as os.Rename does. It waits for programs that have a
// file open.
func Rename(from, to string) error {
	for end := time.Now().Add(renameTime); ; time.Sleep(10 * time.Millisecond) {
		err := os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) || time.Now().After(end) {
			return err
		}
	}
}
