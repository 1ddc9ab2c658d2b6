package install

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

var (
	// secretParts occur anywhere in the names of secrets.
	secretParts = regexp.MustCompile(`token(?:[^i]|$)|passw|passphrase|secret|credential|authorization|cookie|signature|apikey`)
	// secretWords are words in such names, or the ends of words.
	secretWords = regexp.MustCompile(`(?:key|auth|pass|pwd|dsn)s?$|^(?:pat|sig|private|bearer)s?$`)
	// plainWords end the names of values that aren't secrets themselves.
	plainWords = []string{
		"file", "path", "dir", "folder", "url", "uri", "ttl", "timeout", "type", "mode", "name", "count", "limit", "size", "length",
	}
	capitals = regexp.MustCompile(`([a-z0-9])([A-Z])`)

	// valueName matches the name of a value in a query, a header, JSON or an
	// assignment.
	valueName = regexp.MustCompile(`([A-Za-z0-9_.-]+)(?:["']?[ \t]*=|["'][ \t]*:|:[ \t])[ \t]*["']?`)
	// tightHeader is a header without a space after its colon, or an image
	// with its tag.
	tightHeader = regexp.MustCompile(`(?m)^([A-Za-z0-9-]+):([^\s/].*)`)
	tag         = regexp.MustCompile(`^(?:[0-9.]+|latest)(?:[/?#@]|$)`)
	// valueEnds ends a value.
	valueEnds = regexp.MustCompile(`[\s"'&;,]`)
	scheme    = regexp.MustCompile(`^(?i:bearer|basic)(?:[ \t]+|$)`)
	digits    = regexp.MustCompile(`^[0-9]{1,9}$`)
	fileName  = regexp.MustCompile(`^\.{1,2}/|^/run/secrets/|\.(?:pem|key|crt|pub|p12|jwks?|json|ya?ml|toml|txt|env|db)$`)

	// issued matches the prefixes of secrets that services issue, and chat webhook
	// addresses, to which anyone who knows them can post.
	issued = regexp.MustCompile(`(?:^|[^A-Za-z0-9])(?:gh[oprsu]_|github_pat_|glpat-|sk-[A-Za-z0-9_-]{4}|[rs]k_(?:live|test)_|` +
		`xox[a-z]-|xapp-|AKIA[A-Z0-9]{3}|eyJ[A-Za-z0-9_-]+\.eyJ|(?:hf|npm)_[A-Za-z0-9]{20}|SG\.[A-Za-z0-9_-]{16}|` +
		`AIza[A-Za-z0-9_-]{20}|pypi-[A-Za-z0-9_-]{16}|(?:dop|doo|dor)_v1_|gsk_[A-Za-z0-9]{20}|shp(?:at|ca|pa|ss)_|lin_api_|ya29\.)|` +
		`-----BEGIN [A-Z ]*PRIVATE KEY|` +
		`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|/hooks/[a-z0-9]{26}(?:$|\W)|/open-apis/bot/v2/hook/|` +
		`discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/|` +
		`webhook\.office\.com/|outlook\.office(?:365)?\.com/webhook/|api\.telegram\.org/bot[0-9]`)
	// password is the password in a URL. A port followed by a path looks like
	// one.
	password = regexp.MustCompile(`://[^\s:/?#@]*:([^\s@]+)@`)
	port     = regexp.MustCompile(`^[0-9]{1,5}[/?#]`)
	// webUser is the user in a web address, which is often a token.
	webUser = regexp.MustCompile(`(?i:https?)://[^\s/?#@]+@`)
	// dsnPassword is the password in a data source name without a scheme.
	dsnPassword = regexp.MustCompile(`(?m)(?:^|[\s"'=])([A-Za-z0-9_.+-]+):[^\s@/]+@` +
		`(?:[A-Za-z]*\(|[A-Za-z0-9.-]*(?::[0-9]+)?(?:[/\s"']|$))`)
	// noUsers come before a colon and an @ in the names of packages and people.
	noUsers = []string{"npm", "jsr", "mailto", "acct", "sip"}
)

// suggestsSecret reports whether a name suggests a secret.
func suggestsSecret(name string) bool {
	lower := strings.ToLower(capitals.ReplaceAllString(name, "${1}_${2}"))
	words := strings.FieldsFunc(lower, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 || slices.Contains(plainWords, words[len(words)-1]) {
		return false
	}
	return secretParts.MatchString(lower) || slices.ContainsFunc(words, func(word string) bool {
		return secretWords.MatchString(strings.TrimRight(word, "0123456789"))
	})
}

// isSecret reports whether a named value, stripped of references, is a secret.
func isSecret(name, value string) bool {
	value = scheme.ReplaceAllString(value, "")
	if value == "" || !suggestsSecret(name) {
		return false
	}
	isNumber := digits.MatchString(value) && strings.Contains(strings.ToLower(name), "tokens")
	isFile := fileName.MatchString(value) || name == "-keys" || name == "--keys"
	return !isNumber && !isFile && value != "true" && value != "false" && name != "PWD" && name != "OLDPWD"
}

// hasSecret reports whether texts, such as a command's arguments, contain a
// secret in clear text.
func hasSecret(texts ...string) bool {
	all := reference.ReplaceAllString(strings.Join(texts, "\n"), "")
	fields := strings.Fields(all)
	for i, field := range fields[:max(0, len(fields)-1)] {
		next := strings.Trim(fields[i+1], `"'`)
		isFlag := strings.HasPrefix(field, "-") && !strings.ContainsAny(field, "=:")
		if isFlag && !strings.HasPrefix(next, "-") && isSecret(field, next) {
			return true
		}
	}
	if decoded, err := url.QueryUnescape(all); err == nil && decoded != all && hasPlain(decoded) {
		return true
	}
	return hasPlain(all)
}

func hasPlain(text string) bool {
	if issued.MatchString(text) || webUser.MatchString(text) {
		return true
	}
	for _, m := range password.FindAllStringSubmatch(text, -1) {
		if !port.MatchString(m[1]) {
			return true
		}
	}
	for _, m := range dsnPassword.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(noUsers, m[1]) {
			return true
		}
	}
	for _, m := range tightHeader.FindAllStringSubmatch(text, -1) {
		if !tag.MatchString(m[2]) && isSecret(m[1], m[2]) {
			return true
		}
	}
	for _, m := range valueName.FindAllStringSubmatchIndex(text, -1) {
		value := scheme.ReplaceAllString(text[m[1]:], "")
		if end := valueEnds.FindStringIndex(value); end != nil {
			value = value[:end[0]]
		}
		if isSecret(text[m[2]:m[3]], value) {
			return true
		}
	}
	return false
}

// secret reports whether the value is a secret in clear text, or contains one.
func (v Variable) secret() bool {
	return isSecret(v.Name, strings.TrimSpace(reference.ReplaceAllString(v.Value, ""))) || hasSecret(v.Value)
}
