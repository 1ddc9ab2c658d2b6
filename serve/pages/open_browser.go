package pages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
)

// ownAddress matches the addresses of pages on this machine.
var ownAddress = regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/[!-~]*$`)

// openBrowser opens an address in the browser of the user who runs this
// process, with xdg-open, open or rundll32. It uses no shell, and the browser
// gets neither the standard input nor the standard output of the process. It
// returns once the program has started. It returns an error if the address is
// not that of a page on this machine, or if the program cannot be started.
// Other users of the machine can read the address in the process list.
func openBrowser(address string) error {
	if !ownAddress.MatchString(address) {
		return errors.New("pages: the address is not that of a page on this machine")
	}
	opener := openerOf(runtime.GOOS)
	if opener == nil {
		return fmt.Errorf("pages: no program that opens addresses is known on %s; set OpenBrowser", runtime.GOOS)
	}
	cmd := exec.CommandContext(context.Background(), opener[0], append(opener[1:], address)...) // the browser outlives the call
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("pages: the program that opens addresses cannot be started: %w", err)
	}
	go func() { _ = cmd.Wait() }() // some browsers run until they are closed
	return nil
}

// openerOf returns the program that opens addresses, with its arguments, or nil
// if the system has none.
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

// hasDisplay reports whether the user of this process can see the windows that
// it opens.
func hasDisplay() bool {
	opener := openerOf(runtime.GOOS)
	if opener == nil || !showsWindows(runtime.GOOS, os.Getenv) {
		return false
	}
	_, err := exec.LookPath(opener[0])
	return err == nil
}

// showsWindows decides by environment variables. A user connected over SSH
// isn't sitting at the machine's display, and in CI there is no user.
func showsWindows(system string, env func(string) string) bool {
	for _, absent := range []string{"CI", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"} {
		if env(absent) != "" {
			return false
		}
	}
	return system == "windows" || system == "darwin" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
}
