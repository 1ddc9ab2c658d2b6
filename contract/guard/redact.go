package guard

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

const redacted = "[redacted]"

// redact replaces every occurrence of the values in text, longest first: as
// they are, and in the forms in which clients and drivers put what they were
// sent into their errors. A value that is encoded in another way, or cut, is
// not recognised.
func redact(text string, values []string) string {
	var pairs []string
	for _, v := range values {
		for _, form := range forms(v) {
			pairs = append(pairs, form, redacted)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// forms lists the ways in which a value may stand in a text.
func forms(v string) []string {
	quoted, ascii := strconv.Quote(v), strconv.QuoteToASCII(v)
	all := []string{
		v, quoted[1 : len(quoted)-1], ascii[1 : len(ascii)-1],
		url.QueryEscape(v), url.PathEscape(v),
		hex.EncodeToString([]byte(v)), base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) == nil {
		s := strings.TrimSuffix(plain.String(), "\n")
		all = append(all, s[1:len(s)-1])
	}
	if escaped, err := json.Marshal(v); err == nil {
		all = append(all, string(escaped[1:len(escaped)-1]))
	}
	return all
}
