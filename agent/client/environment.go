package client

import (
	"os"
	"slices"
	"strings"
)

// safeVariables are the variables that a process needs to find programs, its
// user's files and the language of its texts, on Unix and on Windows. None of
// them is a place where secrets are kept.
const safeVariables = "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH TMPDIR TZ USER " +
	"APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE " +
	"SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"

// environment returns the safe variables of this process, and the named ones.
// Of a variable that stands twice, the last value counts.
func environment(named []string) []string {
	env := append([]string{}, named...) // never nil, which would be the whole environment
	for name := range strings.FieldsSeq(safeVariables) {
		if value, ok := os.LookupEnv(name); ok {
			env = slices.Insert(env, 0, name+"="+value)
		}
	}
	return env
}
