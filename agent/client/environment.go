package client

import (
	"os"
	"slices"
	"strings"
)

// safeVariables are the variables that a process needs, on Unix and on Windows,
// to find programs and its user's files, and to choose a language. None of them
// is a place to keep secrets.
const safeVariables = "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH TMPDIR TZ USER " +
	"APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE " +
	"SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"

// environment returns this process's safe variables and the named ones. If a
// variable appears twice, the last value wins.
func environment(named []string) []string {
	env := append([]string{}, named...) // never nil, which would be the whole environment
	for name := range strings.FieldsSeq(safeVariables) {
		if value, ok := os.LookupEnv(name); ok {
			env = slices.Insert(env, 0, name+"="+value)
		}
	}
	return env
}
