package redisstore

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// badParameter matches the errors of go-redis about the value of a parameter.
// It captures the name of the parameter, which go-redis knows.
var badParameter = regexp.MustCompile(`^redis: invalid ([a-z_]+) (number|duration|boolean)`)

// urlMistake returns what is wrong with a URL that [redis.ParseURL] refused
// with err. Of the URL it repeats only the names of known parameters.
func urlMistake(raw string, err error) string {
	const schemes = "redis://, rediss:// or unix://"
	if raw == "" {
		return "is empty; want " + schemes
	}
	u, parsing := url.Parse(raw)
	if parsing != nil {
		return syntaxMistake(raw, parsing)
	}
	parts := strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
	switch {
	case !slices.Contains([]string{"redis", "rediss", "unix"}, u.Scheme):
		return "has another scheme than " + schemes
	case u.Scheme == "unix" && strings.TrimSpace(u.Path) == "":
		return "names no socket; want unix:///path/to/the/socket"
	case u.Scheme != "unix" && len(parts) > 1:
		return "has a path of several parts; want the number of a database, such as /0"
	case u.Scheme != "unix" && len(parts) == 1 && strings.Trim(parts[0], "0123456789") != "":
		return "has a path that is not the number of a database; want one such as /0"
	}
	if m := badParameter.FindStringSubmatch(err.Error()); m != nil && u.Query().Has(m[1]) {
		return "has the parameter " + m[1] + ", whose value is not a " + m[2]
	}
	if strings.HasPrefix(err.Error(), "redis: invalid database number") {
		return "has the parameter db, whose value is not the number of a database"
	}
	if strings.HasPrefix(err.Error(), "redis: unexpected option") {
		return "has a parameter that go-redis does not know; see redis.ParseURL"
	}
	return "cannot be used; want " + schemes
}

// syntaxMistake returns why a text is not a URL at all.
func syntaxMistake(raw string, err error) string {
	switch {
	case strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a control character"
	case strings.Contains(err.Error(), "invalid port"):
		return "has a port that is not a number; write other characters of a password as %XX"
	case strings.Contains(err.Error(), "invalid userinfo"):
		return "has a user or a password with a character that must be written as %XX"
	case strings.Contains(err.Error(), "invalid URL escape"):
		return "has a % that two hexadecimal digits do not follow; write % as %25"
	case strings.Contains(err.Error(), "missing protocol scheme"), strings.Contains(err.Error(), "first path segment"):
		return "has no scheme; want redis://, rediss:// or unix://"
	default:
		return "cannot be read as a URL"
	}
}
