// Package funcname translates the compiler's names of functions into those in
// the source.
package funcname

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

var typeArguments = regexp.MustCompile(`\[.*\]`)

// Generic returns a name without type arguments.
func Generic(name string) string { return typeArguments.ReplaceAllString(name, "") }

// Source returns the name that golang.org/x/tools/go/ssa gives to a compiled
// function, without type arguments: "(*example.com/mail.Server).send" for
// "example%2ecom/mail.(*Server).send".
func Source(compiled string) string {
	pkg, rest := Split(compiled)
	receiver, method, ok := strings.Cut(rest, ".")
	if !ok {
		return pkg + "." + rest
	}
	if inner, pointer := strings.CutPrefix(receiver, "(*"); pointer {
		return "(*" + pkg + "." + strings.TrimSuffix(inner, ")") + ")." + method
	}
	return "(" + pkg + "." + receiver + ")." + method
}

// Split splits a compiled function's name into the import path and the rest.
func Split(compiled string) (pkg, rest string) {
	dir, base := path.Split(Generic(compiled))
	pkg, rest, _ = strings.Cut(base, ".")
	if plain, err := url.PathUnescape(pkg); err == nil {
		pkg = plain
	}
	return dir + pkg, rest
}
