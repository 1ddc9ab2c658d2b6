package approval

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"runtime"
)

// maxOpened bounds an address that a browser opens, in bytes.
const maxOpened = 4 << 10

var errNotOpened = errors.New("approval: the address is neither https, nor http on the loopback interface")

// openBrowser opens an address in the browser of the user that runs this
// process, with xdg-open, open or rundll32. It uses no shell, and the browser
// gets neither the standard input nor the standard output of the process. It
// returns when the program has started. An address that is neither https nor
// http on the loopback interface is an error, and so is a program that cannot
// be started. Other users of the machine can read the address in the list of
// processes.
func openBrowser(address string) error {
	if !isOpenable(address) {
		return errNotOpened
	}
	opener := openerOf(runtime.GOOS)
	if opener == nil {
		return fmt.Errorf("approval: no program that opens addresses is known on %s; set OpenBrowser", runtime.GOOS)
	}
	cmd := exec.CommandContext(context.Background(), opener[0], append(opener[1:], address)...) // the browser outlives the call
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("approval: the program that opens addresses cannot be started: %w", err)
	}
	go func() { _ = cmd.Wait() }() // some browsers run until they are closed
	return nil
}

// openerOf returns the program that opens addresses, with its arguments. It is
// nil if the system has none.
func openerOf(system string) []string {
	switch system {
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	case "darwin":
		return []string{"open"}
	case "linux", "freebsd", "openbsd", "netbsd", "dragonfly", "illumos", "solaris":
		return []string{"xdg-open"}
	}
	return nil
}

// isOpenable reports whether a browser may be sent to an address.
func isOpenable(address string) bool {
	if len(address) > maxOpened {
		return false
	}
	for _, r := range address {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// hasDisplay reports whether the user of this process sees the windows that it
// opens.
func hasDisplay() bool {
	opener := openerOf(runtime.GOOS)
	if opener == nil || !showsWindows(runtime.GOOS, os.Getenv) {
		return false
	}
	_, err := exec.LookPath(opener[0])
	return err == nil
}

// showsWindows decides by environment variables. A user who is connected by SSH
// does not sit at the display of the machine. In CI there is no user.
func showsWindows(system string, env func(string) string) bool {
	for _, absent := range []string{"CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"} {
		if env(absent) != "" {
			return false
		}
	}
	return system == "windows" || system == "darwin" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}
