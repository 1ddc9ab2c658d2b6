package witness

import (
	"net"
	"net/netip"
	"path/filepath"
	"strings"
)

// An Allowance names bookkeeping that does not count as the tool's effect, such
// as its log, its cache or its own database driver. Exactly one field is set.
type Allowance struct {
	// Path is a file, or a folder with everything below it. A relative path is
	// below the current directory. The last element may be a [filepath.Match]
	// pattern, such as "data.db-*".
	Path string
	// Address is "host:port", a host for all of its ports, "loopback" for this
	// machine including its unix sockets, or "unix:/path".
	Address string
}

// Covers reports whether the allowance names the event. Both paths of a rename
// must be covered.
func (a Allowance) Covers(e Event) bool {
	switch {
	case a.Path != "":
		return e.Path != "" && matchesPath(a.Path, e.Path) && (e.To == "" || matchesPath(a.Path, e.To))
	case a.Address == "loopback":
		return e.Loopback()
	case a.Address != "":
		host, _, err := net.SplitHostPort(e.Address)
		return e.Address == a.Address || err == nil && host == a.Address
	}
	return false
}

// matchesPath reports whether a path is root, matches it as a pattern, or is
// below it.
func matchesPath(root, path string) bool {
	abs, err := filepath.Abs(root)
	if err != nil {
		return false
	}
	root = resolve(abs)
	if inFolder(root, path) {
		return true
	}
	if target, err := filepath.EvalSymlinks(abs); err == nil && inFolder(target, path) {
		return true
	}
	if filepath.Dir(path) != filepath.Dir(root) {
		return false
	}
	ok, err := filepath.Match(filepath.Base(root), filepath.Base(path))
	return ok && err == nil
}

// inFolder reports whether a path is a folder or below it.
func inFolder(folder, path string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, sep)+sep)
}

const sep = string(filepath.Separator)

// resolve returns a clean absolute path whose folder has no symbolic links.
// The last element stays as it is, because a call may replace it. Folders that
// do not exist also stay as they are.
func resolve(path string) string {
	path = filepath.Clean(path)
	folder := filepath.Dir(path)
	missing := filepath.Base(path)
	if folder == path {
		return path
	}
	for {
		if target, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(target, missing)
		}
		up := filepath.Dir(folder)
		if up == folder {
			return path
		}
		missing = filepath.Join(filepath.Base(folder), missing)
		folder = up
	}
}

// loopback reports whether an address is on this machine.
func loopback(address string) bool {
	if strings.HasPrefix(address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
