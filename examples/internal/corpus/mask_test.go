package corpus_test

import (
	"fmt"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A mask replaces the first group of pattern by a placeholder. A numbered
// placeholder is <kind-N>, any other <kind>.
type mask struct {
	kind     string
	pattern  *regexp.Regexp
	numbered bool
}

// unmanaged are the tools without an idempotency key. The lookup key of a call
// that a person agreed to ends with the nonce of the question.
const unmanaged = `accounts.change_permissions|emails.bulk_send|emails.send_external|invoices.void`

var masks = []mask{
	{"state", regexp.MustCompile(`(tc1\.[A-Za-z0-9_-]{100,})`), true},
	{"dryRunToken", regexp.MustCompile(`dryRunToken\\*":\s*\\*"([A-Za-z0-9_-]{40,})\\*"`), true},
	{"cursor", regexp.MustCompile(`"(?:nextCursor|cursor)":"([A-Za-z0-9_.+/=-]{20,})"`), true},
	{"jwt", regexp.MustCompile(`(eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)`), true},
	{"session", regexp.MustCompile(`(mcp-session-[0-9a-f-]{36})`), true},
	{"key", regexp.MustCompile(`"(?:kid|x|y)":"([A-Za-z0-9_-]{43})"`), true},
	{"form", regexp.MustCompile(`name="token" value="([^"]+)"`), true},
	{"secret", regexp.MustCompile(`secret=([A-Za-z0-9_-]{20,})`), true},
	{"tag", regexp.MustCompile(`untrusted-content-([a-z2-7]{16})`), true},
	{"cookie", regexp.MustCompile(`Set-Cookie: sign-in-\d+=([A-Z2-7]{26})`), true},
	{"code", regexp.MustCompile(`^code for .*: ([A-Z2-7]{26})$`), true},
	{"callId", regexp.MustCompile(`\b([A-Z2-7]{26})\b`), true},
	{"id", regexp.MustCompile(`\b(?:draft|email|link)_([a-z2-7]{26})\b`), true},
	{"hash", regexp.MustCompile(`"(?:prev|hash)":"([0-9a-f]{64})"`), false},
	{"hash", regexp.MustCompile(`head of the audit log: ([0-9a-f]{64})`), false},
	{"nonce", regexp.MustCompile(`tool"?[:=]"?(?:` + unmanaged + `)\b.*lookupKey"?[:=]"?[0-9a-f]{64}\.([0-9a-f]{64})`), true},
	{"digest", regexp.MustCompile(`hmac-sha256:([0-9a-f]{64})`), true},
	{"time", regexp.MustCompile(`"(?:time|releasedAt|issuedAt)":"([^"]+)"`), false},
	{"time", regexp.MustCompile(`\\"(?:releasedAt|issuedAt)\\":\\"([^"\\]+)`), false},
	{"time", regexp.MustCompile(`^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) `), false},
	{"time", regexp.MustCompile(`>(\d+ [A-Z][a-z]+ \d{4}, \d\d:\d\d:\d\d UTC)</time>`), false},
	{"time", regexp.MustCompile(`datetime="([^"]+)"`), false},
	{"time", regexp.MustCompile(`\bthe same call at (\S+);`), false},
	{"time", regexp.MustCompile(`^time=(\S+)`), false},
	{"ms", regexp.MustCompile(`durationMs"?[:=](\d+)`), false},
	{"ms", regexp.MustCompile(`"code":"(?:rate_limit_exceeded|retry_budget_exhausted)".*?"retryAfterMs":(\d+)`), false},
	{"delay", regexp.MustCompile(`(?:rate_limit_exceeded|retry_budget_exhausted).*?Try again in ([^"\\]+?s)\.`), false},
	{"delay", regexp.MustCompile(`retry_budget_exhausted.*?refused for another ([^"\\]+?s)\.`), false},
	{"nonce", regexp.MustCompile(`\}:nonce:([0-9a-f]{64})`), false},
	{"port", regexp.MustCompile(`127\.0\.0\.1:(\d{4,5})`), false},
	{"port", regexp.MustCompile(`Set-Cookie: sign-in-(\d{4,5})=`), false},
}

// localMasks are for values that depend on the user who runs the test, or on
// the port of the issuer.
var localMasks = []mask{
	{"lookup", regexp.MustCompile(`lookupKey"?[:=]"?([0-9a-f]{64})\.`), true},
	{"lookup", regexp.MustCompile(`lookupKey"?[:=]"?[^ "]+\.([0-9a-f]{64})`), true},
	{"operation", regexp.MustCompile(`\b(op_[A-Za-z0-9_-]{46})`), true},
}

// randomRecord is for the record of a call of one of the unmanaged tools.
var randomRecord = mask{"nonce", regexp.MustCompile(`\}:record:([0-9a-f]{64})`), true}

// A masker masks what one run shows.
type masker struct {
	masks        []mask
	placeholders map[string]string // by kind and value
	values       map[string]string // by placeholder
	counts       map[string]int
	fixed        *strings.Replacer
}

// newMasker masks dir too, and the local user if local is set.
func newMasker(dir string, local bool) *masker {
	m := &masker{masks: masks, placeholders: map[string]string{}, values: map[string]string{"<dir>": dir}, counts: map[string]int{}}
	fixed := []string{dir, "<dir>"}
	if me, err := user.Current(); err == nil && local {
		m.masks = append(slices.Clip(m.masks), localMasks...)
		fixed = append(fixed, `"principal":"`+me.Username+`"`, `"principal":"<user>"`, `principal=`+me.Username+` `,
			`principal=<user> `,
			`on behalf of \"`+me.Username+`\"`, `on behalf of \"<user>\"`)
	}
	m.fixed = strings.NewReplacer(fixed...)
	return m
}

// line masks one line, and shows bytes that are not UTF-8 as \xNN.
func (m *masker) line(s string) string {
	s = m.fixed.Replace(s)
	for _, mask := range m.masks {
		s = m.apply(mask, s)
	}
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func (m *masker) apply(mask mask, s string) string {
	var b strings.Builder
	end := 0
	for _, at := range mask.pattern.FindAllStringSubmatchIndex(s, -1) {
		b.WriteString(s[end:at[2]])
		b.WriteString(m.placeholder(mask, s[at[2]:at[3]]))
		end = at[3]
	}
	return b.String() + s[end:]
}

func (m *masker) placeholder(mask mask, value string) string {
	if !mask.numbered {
		return "<" + mask.kind + ">"
	}
	known, ok := m.placeholders[mask.kind+" "+value]
	if !ok {
		m.counts[mask.kind]++
		known = "<" + mask.kind + "-" + strconv.Itoa(m.counts[mask.kind]) + ">"
		m.placeholders[mask.kind+" "+value] = known
		m.values[known] = value
	}
	return known
}

var (
	byteEscape = regexp.MustCompile(`\\x[0-9a-f]{2}`)
	repetition = regexp.MustCompile(`<([^<>*]+)\*(\d+)>`)
	reference  = regexp.MustCompile(`<~?[A-Za-z]+(-\d+)?>`)
)

// expand returns the bytes to send for the text of a script. A placeholder
// without a value stays as it is.
func (m *masker) expand(s string) string {
	s = repetition.ReplaceAllStringFunc(s, func(found string) string {
		parts := repetition.FindStringSubmatch(found)
		n, _ := strconv.Atoi(parts[2])
		return strings.Repeat(parts[1], n)
	})
	s = reference.ReplaceAllStringFunc(s, func(found string) string {
		changed := strings.HasPrefix(found, "<~")
		value, ok := m.values[strings.Replace(found, "<~", "<", 1)]
		switch {
		case !ok:
			return found
		case changed:
			return changeMiddle(value)
		default:
			return value
		}
	})
	return byteEscape.ReplaceAllStringFunc(s, func(found string) string {
		n, _ := strconv.ParseUint(found[2:], 16, 8)
		return string([]byte{byte(n)})
	})
}

// changeMiddle replaces the character in the middle.
func changeMiddle(s string) string {
	at, other := len(s)/2, "A"
	if s[at] == 'A' {
		other = "B"
	}
	return s[:at] + other + s[at+1:]
}
