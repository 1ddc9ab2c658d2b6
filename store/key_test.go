package store_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store"
)

// goldenKey was computed by another program from the documentation.
const goldenKey = "0afc785f54c9ac11a3751fba0ac1f6996c175d4bef7eccdfa2fa9357f240efb1." +
	"eddb9464bd7a13e7e1d0224323f9bbd3ea3defa4a335f0acd4f26d4a54f58705"

func TestScope_NoTwoListsOfPartsHaveTheSameKey(t *testing.T) {
	t.Parallel()
	type parts [6]string // namespace, issuer, tenant, principal, tool, key
	var lists []parts
	for i := range 6 { // the same text at each place, cut at each place
		for _, text := range []string{"a", "ab", "\x00", "a\x00", ".", "\x00\x00\x00\x00\x00\x00\x00\x01a"} {
			var one parts
			one[i] = text
			lists = append(lists, one)
			if i < 5 {
				var two parts
				two[i], two[i+1] = "x", text
				lists = append(lists, two)
			}
		}
	}
	lists = append(lists, parts{})
	ids, partitions := map[store.Digest]parts{}, map[store.Digest]parts{}
	for _, p := range lists {
		s := store.Scope{Namespace: p[0], Issuer: p[1], Tenant: p[2], Principal: p[3], Tool: p[4]}
		k := s.Key(p[5])
		assert.NotContains(t, ids, k.ID, "%q", p)
		ids[k.ID] = p
		p[4], p[5] = "", ""
		if before, ok := partitions[k.Partition]; ok {
			assert.Equal(t, before, p, "a partition is the scope without its tool")
		}
		partitions[k.Partition] = p
		assert.NotEqual(t, k.ID, k.Partition)
	}
}

func TestScope_KeyDoesNotChange(t *testing.T) {
	t.Parallel()
	s := store.Scope{Namespace: "n", Issuer: "i", Tenant: "t", Principal: "p", Tool: "x.y"}
	assert.Equal(t, goldenKey, s.Key("k").String(), "records outlive the build that wrote them")
	assert.Equal(t, s.Key("k").Partition, store.Scope{Namespace: "n", Issuer: "i", Tenant: "t", Principal: "p"}.Key("").Partition)
}

func TestParseKey_ReversesString(t *testing.T) {
	t.Parallel()
	k := keyOf("bob", "k")
	got, err := store.ParseKey(k.String())
	require.NoError(t, err)
	assert.Equal(t, k, got)
	assert.False(t, k.IsZero())
	assert.True(t, store.Key{}.IsZero())
}

func TestParseKey_RefusesOtherTexts(t *testing.T) {
	t.Parallel()
	good := keyOf("bob", "k").String()
	for name, s := range map[string]string{
		"nothing":                  "",
		"a point":                  ".",
		"one digest":               good[:64],
		"no second digest":         good[:65],
		"no first digest":          good[64:],
		"upper case":               strings.ToUpper(good),
		"one upper-case digit":     "A" + good[1:],
		"too short":                good[:128],
		"too long":                 good + "0",
		"a byte more":              good + "00",
		"a third digest":           good + "." + good[:64],
		"another character":        "g" + good[1:],
		"a space before":           " " + good,
		"a line break after":       good + "\n",
		"another joint":            strings.Replace(good, ".", ":", 1),
		"not ASCII":                "é" + good[2:],
		"the zero key":             store.Key{}.String(),
		"something that is secret": "hunter2",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := store.ParseKey(s)
			assert.EqualError(t, err, "store: malformed lookup key: want two SHA-256 digests in lower-case hexadecimal, joined by a point")
			assert.Equal(t, store.Key{}, k)
		})
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
		store.Fingerprint([]byte("{}")).String(), "SHA-256 of the two bytes")
	assert.NotEqual(t, store.Digest{}, store.Fingerprint(nil))
}

func TestNewOwner_IsUnique(t *testing.T) {
	t.Parallel()
	seen := map[store.Owner]bool{}
	for range 1000 {
		o := store.NewOwner()
		assert.False(t, o.IsZero())
		seen[o] = true
	}
	assert.Len(t, seen, 1000)
	assert.True(t, store.Owner{}.IsZero())
}
