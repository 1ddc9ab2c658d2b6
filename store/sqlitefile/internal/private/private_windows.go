package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// newAttributes returns the attributes for creating a file or a folder that
// only the user can read. It inherits nothing. The flags say whether what is in
// a folder inherits its entry.
func newAttributes(flags string) (*windows.SecurityAttributes, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	// D:P is a list that inherits nothing, A allows, and FA is full access.
	descriptor, err := windows.SecurityDescriptorFromString("D:P(A;" + flags + ";FA;;;" + user.User.Sid.String() + ")")
	if err != nil {
		return nil, err
	}
	return &windows.SecurityAttributes{
		Length: uint32(unsafe.Sizeof(windows.SecurityAttributes{})), SecurityDescriptor: descriptor,
	}, nil
}

func openFile(path string, flag int) (*os.File, error) {
	attributes, err := newAttributes("")
	if err != nil {
		return nil, err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	disposition := uint32(windows.OPEN_ALWAYS)
	if flag&os.O_EXCL != 0 {
		disposition = windows.CREATE_NEW
	}
	handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, attributes, disposition, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}

// MkdirAll creates a folder and the missing ones above it. Only the user can
// read them, and whatever is created in them later.
func MkdirAll(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	if err == nil {
		return nil
	}
	if above := filepath.Dir(path); above != path {
		if err := MkdirAll(above); err != nil {
			return err
		}
	}
	attributes, err := newAttributes("OICI") // inherited by files and folders in it
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err == nil {
		err = windows.CreateDirectory(name, attributes)
	}
	if err != nil && !errors.Is(err, windows.ERROR_ALREADY_EXISTS) {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// Restrict removes other users' access to a file. A missing file is not an
// error. It is for files that another library creates.
func Restrict(path string) error {
	attributes, err := newAttributes("")
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	handle, err := windows.CreateFile(name, windows.WRITE_DAC,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, 0, 0)
	if errors.Is(err, windows.ERROR_FILE_NOT_FOUND) {
		return nil
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path, Err: err}
	}
	err = windows.SetKernelObjectSecurity(handle,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, attributes.SecurityDescriptor)
	return errors.Join(err, windows.CloseHandle(handle))
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

// patience bounds the wait for other programs that have a file open, such as a
// virus scanner.
const patience = 2 * time.Second

// patiently repeats do until no program that has the file open is in the way.
func patiently(do func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := do()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) || time.Now().After(end) {
			return err
		}
	}
}
