package otel_test

import (
	"encoding"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/otel"
)

// A reported set has, for each attribute, where it was seen, and the unit of
// each metric.
type reported struct {
	attributes map[string][]string
	units      map[string]string
}

func (r *reported) add(where string, attributes []attribute.KeyValue) {
	for _, a := range attributes {
		if key := string(a.Key); !slices.Contains(r.attributes[key], where) {
			r.attributes[key] = append(r.attributes[key], where)
			slices.Sort(r.attributes[key])
		}
	}
}

// everything makes calls of each kind, and returns what they reported, and all
// texts of it.
func everything(t *testing.T) (reported, string) {
	t.Helper()
	k := newKit(t, ignore, func(c *otel.Config) { c.EndUser = true })
	const session = `,"traceparent":"` + traceparent + `"`
	k.call(t.Context(), "notes_write", arguments, session)
	k.call(t.Context(), "notes_once", arguments, "")
	k.call(t.Context(), "notes_once", arguments, "")
	k.call(t.Context(), "notes_fail", arguments, "")
	k.call(t.Context(), "notes_publish", arguments, "")
	k.call(t.Context(), "notes_high", arguments, "")
	k.call(t.Context(), "made_up", arguments, "")
	k.call(t.Context(), "notes_publish", arguments, `},"requestState":"made up","x":{`)
	k.inSession("notes_write", arguments)
	k.decide()

	r := reported{map[string][]string{}, map[string]string{}}
	var all strings.Builder
	for _, s := range k.spans.Ended() {
		r.add("span", s.Attributes())
		all.WriteString(s.Name() + s.Status().Description)
		for _, e := range s.Events() {
			r.add("event "+e.Name, e.Attributes)
		}
		for _, value := range texts(s.Attributes()) {
			all.WriteString(value)
		}
	}
	for name, m := range k.collect() {
		r.units[name] = m.Unit
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				r.add(name, p.Attributes.ToSlice())
			}
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				r.add(name, p.Attributes.ToSlice())
			}
		default:
			require.Fail(t, "the metric "+name+" has another kind")
		}
	}
	return r, all.String()
}

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\|")

func TestAttributes_ThePageHasEachOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("attributes.md")
	require.NoError(t, err)
	attributes, metrics, ok := strings.Cut(string(page), "## Metrics")
	require.True(t, ok)
	got, _ := everything(t)
	want := reported{map[string][]string{}, map[string]string{}}
	events := []string{"event toolcontract.asked", "event toolcontract.decided", "event toolcontract.intent"}
	for _, m := range row.FindAllStringSubmatch(attributes, -1) {
		for where := range strings.SplitSeq(strings.ReplaceAll(m[2], "`", ""), ", ") {
			if where == "every event" {
				want.attributes[m[1]] = append(want.attributes[m[1]], events...)
				continue
			}
			want.attributes[m[1]] = append(want.attributes[m[1]], where)
		}
		slices.Sort(want.attributes[m[1]])
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| ([^|]+) \\|").FindAllStringSubmatch(metrics, -1) {
		want.units[m[1]] = m[2]
	}
	assert.Equal(t, want.attributes, got.attributes)
	assert.Equal(t, want.units, got.units)
}

func TestAttributes_ThePageHasEachValueOfAnEnumeration(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("attributes.md")
	require.NoError(t, err)
	shown := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\| ([^|]+) \\|$").
		FindAllStringSubmatch(string(page), -1) {
		shown[m[1]] = m[2]
	}
	for key, values := range map[string][]string{
		"toolcontract.status":   listed(allOf[contract.Status]()),
		"toolcontract.class":    listed(allOf[contract.Class]()),
		"toolcontract.decision": listed([]audit.Decision{audit.Allow, audit.Deny, audit.Ask, audit.Replay, audit.DryRun}),
	} {
		assert.ElementsMatch(t, values, strings.Split(shown[key], ", "), key)
	}
}

// allOf returns the values of an enum that have a text.
func allOf[T interface {
	~uint8
	encoding.TextMarshaler
}]() []T {
	var all []T
	for v := range T(math.MaxUint8) {
		if _, err := v.MarshalText(); err == nil {
			all = append(all, v)
		}
	}
	return all
}

// listed returns values as the page lists them.
func listed[T any](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, fmt.Sprintf("`%v`", v))
	}
	return all
}

func TestObserver_ReportsNoArgumentAndNoNameOfACaller(t *testing.T) {
	t.Parallel()
	_, all := everything(t)
	require.Contains(t, all, "notes.write")
	for _, text := range []string{secret, "made_up", "made up", "There is no place"} {
		assert.NotContains(t, all, text)
	}
}

// decide reports the answer of a person on a page, and an outage of the store.
func (k *kit) decide() {
	k.t.Helper()
	ctx, page := k.tracers.Tracer("test").Start(k.t.Context(), "POST /approvals")
	k.observer.Audited(ctx, audit.Event{Kind: audit.Asked, CallID: "1", Stage: "confirm", Decision: audit.Allow})
	page.End()
	k.observer.Stored(k.t.Context(), guard.StoreOperation{Name: "claim", Outage: true})
}
