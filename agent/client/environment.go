package client

import (
	"os"
	"runtime"
	"slices"
)

// The variables that a process needs to find programs, its user's files and the
// language of its texts. None of them is a place where secrets are kept.
var (
	safeVariables = []string{
		"HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TMPDIR", "TZ", "USER",
	}
	safeWindowsVariables = []string{
		"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LANG", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
		"PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "TZ", "USERNAME", "USERPROFILE", "WINDIR",
	}
)

// environment returns the safe variables of this process, and the named ones.
// Of a variable that stands twice, the last value counts.
func environment(named []string) []string {
	names := safeVariables
	if runtime.GOOS == "windows" {
		names = safeWindowsVariables
	}
	var env []string
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return slices.Concat(env, named)
}
