//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package stdout

import "os"

// isDescriptor returns false: here, only the variable os.Stdout can be taken.
func isDescriptor(*os.File) bool { return false }

func redirectDescriptor(file, pipe *os.File) (*os.File, func(), error) {
	return redirectVariable(file, pipe)
}
