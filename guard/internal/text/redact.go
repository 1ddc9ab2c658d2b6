package text

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	redacted = "[redacted]"
	// maxRedacted bounds the text to search, in bytes, and maxHidden the number
	// of values. Beyond either bound the whole text is redacted.
	maxRedacted = 64 << 10
	maxHidden   = 1000
)

// Redact replaces every occurrence of the values in text, both as they are and
// in the forms in which Go, clients and drivers write them. It does not
// recognise a value that was cut or encoded in another way.
func Redact(text string, values []string) string {
	if len(values) == 0 {
		return text
	}
	if len(text) > maxRedacted || len(values) > maxHidden {
		return redacted
	}
	hide := make([]bool, len(text))
	for _, v := range values {
		for _, form := range forms(v) {
			markAll(hide, text, form)
		}
	}
	var b strings.Builder
	for i := range len(text) {
		switch {
		case !hide[i]:
			b.WriteByte(text[i])
		case i == 0 || !hide[i-1]:
			b.WriteString(redacted)
		}
	}
	return b.String()
}

// markAll marks every occurrence, including those that overlap.
func markAll(hide []bool, text, form string) {
	if form == "" {
		return
	}
	for at := 0; ; at++ {
		i := strings.Index(text[at:], form)
		if i < 0 {
			return
		}
		at += i
		for j := range len(form) {
			hide[at+j] = true
		}
	}
}

// forms lists the ways in which a text may spell a value.
func forms(v string) []string {
	quoted := strconv.Quote(v)
	ascii := strconv.QuoteToASCII(v)
	all := []string{
		v, quoted[1 : len(quoted)-1], ascii[1 : len(ascii)-1],
		url.QueryEscape(v), url.PathEscape(v),
		hex.EncodeToString([]byte(v)), base64.StdEncoding.EncodeToString([]byte(v)), base64.RawURLEncoding.EncodeToString([]byte(v)),
	}
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err == nil {
		s := strings.TrimSuffix(plain.String(), "\n")
		all = append(all, s[1:len(s)-1])
	}
	if escaped, err := json.Marshal(v); err == nil {
		all = append(all, string(escaped[1:len(escaped)-1]))
	}
	// Go prints bytes, times and floats in other forms than JSON does.
	if raw, err := base64.StdEncoding.DecodeString(v); err == nil && len(raw) > 0 {
		all = append(all, string(raw), fmt.Sprintf("%d", raw))
	}
	if t, err := time.Parse(time.RFC3339Nano, v); err == nil {
		all = append(all, t.String(), t.UTC().String())
	}
	if f, err := strconv.ParseFloat(v, 64); err == nil {
		all = append(all, fmt.Sprint(f), fmt.Sprintf("%f", f))
	}
	return all
}
