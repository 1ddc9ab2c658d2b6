package folder

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/trust"
)

const (
	// maxPath and maxName bound a path and each of its names, in bytes. File
	// systems take longer ones.
	maxPath = 1024
	maxName = 200
	// temporary begins the names of unfinished files.
	temporary = ".writing-"
)

// devices are the names of devices on Windows. They name a device in any folder
// and with any extension.
var devices = []string{"aux", "clock$", "con", "conin$", "conout$", "nul", "prn"}

// checkPath returns an error unless p names a file or folder below the root on
// every system. The error is a [contract.Error] of ErrInvalidPath.
func checkPath(p string) error {
	switch {
	case p == "":
		return refused("the path is empty")
	case len(p) > maxPath:
		return refused("the path is too long")
	case strings.ContainsRune(p, '\\'):
		return refused("the path has a backslash; use slashes")
	case path.IsAbs(p):
		return refused("the path is absolute; use a path relative to the root")
	case strings.HasSuffix(p, "/"):
		return refused("the path ends with a slash")
	case p == "." || !fs.ValidPath(p):
		return refused("the path has an element that is empty, \".\", \"..\", or not UTF-8")
	}
	for name := range strings.SplitSeq(p, "/") {
		if err := checkName(name); err != nil {
			return err
		}
	}
	return nil
}

// checkName checks one element of a path. The error is a [contract.Error] of
// ErrInvalidPath.
func checkName(name string) error {
	_, hidden := trust.Sanitize(name)
	base, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch {
	case len(name) > maxName:
		return refused("a name in the path is too long")
	case hidden > 0 || strings.ContainsAny(name, "\t\r\n"):
		return refused("the path has a control character or an invisible character")
	case strings.ContainsAny(name, `<>:"|?*\`):
		return refused(`the path has one of the characters < > : " | ? * \`)
	case strings.HasSuffix(name, ".") || strings.TrimSpace(name) != name:
		return refused("a name in the path begins or ends with a space, or ends with a dot")
	case isDevice(strings.TrimRight(base, " ")):
		return refused("a name in the path is the name of a device on some systems")
	case strings.HasPrefix(strings.ToLower(name), temporary):
		return refused("a name in the path is reserved for unfinished files")
	}
	return nil
}

// isDevice reports whether a lower-case name without extension names a device:
// one of devices, or a port from com0 to com9 or from lpt0 to lpt9. The digit
// of a port may be superscript.
func isDevice(base string) bool {
	if slices.Contains(devices, base) {
		return true
	}
	digit, isPort := strings.CutPrefix(base, "com")
	if !isPort {
		digit, isPort = strings.CutPrefix(base, "lpt")
	}
	return isPort && len([]rune(digit)) == 1 && strings.ContainsAny(digit, "0123456789¹²³")
}
