package observe

import (
	"fmt"
	"strings"
	"time"
)

// patterns has, for each format that needs nothing more, a pattern for some of
// its strings.
var patterns = map[string]string{
	"duration":              `P(([1-9][0-9]{0,2}D)(T[1-9][0-9]?H)?|T[1-9][0-9]?M|[1-9][0-9]?W)`,
	"email":                 `[a-z]{1,8}(\.[a-z]{1,4})?@[a-z]{1,8}\.(com|example|org)`,
	"hostname":              `[a-z][a-z0-9]{0,8}(\.[a-z]{2,6}){0,2}`,
	"ipv4":                  `(10|192|127)\.(0|168|255)\.(0|1|99)\.([0-9]|1[0-9]{2})`,
	"ipv6":                  `(2001:db8:[0-9a-f]{1,4}::[0-9a-f]{1,4}|::1|fe80::[0-9a-f]{1,4})`,
	"iri":                   `https://[a-zé]{1,8}\.example/[a-zü]{0,8}`,
	"iri-reference":         `/?[a-zü]{1,8}(\?[a-z]=[0-9])?`,
	"json-pointer":          `(/([a-z0-9]|~0|~1){0,4}){0,3}`,
	"regex":                 `(\^[a-c]{1,3}\$|[a-c][+*?]|\[a-f0-9\]\{2,4\}|)`,
	"relative-json-pointer": `(0|[1-9])(#|(/[a-z0-9]{1,4}){0,2})`,
	"semver":                `(0|[1-9])\.(0|[1-9][0-9])\.(0|[1-9])(-(alpha|rc\.1))?(\+[a-f0-9]{1,7})?`,
	"uri": `(https?://[a-z]{1,8}\.example(:[1-9][0-9]{1,3})?(/[a-z0-9]{0,8}){0,3}(\?[a-z]=[0-9])?` +
		`|urn:[a-z]{2,5}:[a-z0-9]{1,5}|mailto:[a-z]{1,5}@example\.org)`,
	"uri-reference": `(/?[a-z]{1,8}(\?[a-z]=[0-9])?|#[a-z]{1,4}|https://[a-z]{1,8}\.example/)`,
	"uri-template":  `/[a-z]{1,8}/\{[a-z]{1,5}\}`,
	"uuid":          `[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`,
}

// ofFormat draws a string of a format. ok is false for a format that strings
// do not have.
func (d *drawer) ofFormat(format string, s *spec) (drawn string, ok bool) {
	if format == "duration" && (s.durations.hasLow || s.durations.hasHigh) {
		return d.duration(&s.durations)
	}
	if pattern, ok := patterns[format]; ok {
		return d.ofPattern(pattern, 0)
	}
	switch format {
	case "date":
		return d.moment().Format(time.DateOnly), true
	case "time":
		return d.moment().Format("15:04:05.999999Z07:00"), true
	case "date-time":
		return d.moment().Format(time.RFC3339Nano), true
	}
	if strings.HasPrefix(format, "int") || strings.HasPrefix(format, "uint") {
		return fmt.Sprint(d.integer(s)), true // decimal text of an integer
	}
	return "", false
}

// moment draws a time between the years 1 and 9999, usually close to today.
func (d *drawer) moment() time.Time {
	zones := []*time.Location{time.UTC, time.FixedZone("", 5*3600+1800), time.FixedZone("", -8*3600)}
	seconds := int64(d.from.Uint(4_102_444_800)) //nolint:gosec // the years 1970 to 2100
	if d.index(8) == 7 {
		seconds = -62_135_510_400 + int64(d.from.Uint(62_135_510_400+253_402_214_400)) //nolint:gosec // it fits
	}
	at := time.Unix(seconds, 0)
	if d.coin() {
		at = at.Add(time.Duration(d.index(1000)) * time.Millisecond)
	}
	return at.In(zones[d.index(len(zones))])
}
