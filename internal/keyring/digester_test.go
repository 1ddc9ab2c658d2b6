package keyring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

func TestDigester_MatchesUnderEveryKeyOfTheRing(t *testing.T) {
	t.Parallel()
	old, both := ring(t, material(1)).DigesterFor("p"), ring(t, material(2), material(1)).DigesterFor("p")
	digest := old.Digest([]byte("a"))
	assert.Equal(t, digest, old.Digest([]byte("a")), "a digest is always the same")
	assert.NotEqual(t, digest, both.Digest([]byte("a")), "the first key digests")
	for name, c := range map[string]struct {
		digester    *keyring.Digester
		digest      [keyring.DigestSize]byte
		message     string
		same, known bool
	}{
		"the same message":                   {old, digest, "a", true, true},
		"the same message, after a rotation": {both, digest, "a", true, true},
		"another message":                    {old, digest, "b", false, true},
		"a digest of a newer key":            {old, both.Digest([]byte("a")), "a", false, false},
		"a digest for another purpose":       {old, ring(t, material(1)).DigesterFor("q").Digest([]byte("a")), "a", false, true},
		"a digest that no key made":          {old, [keyring.DigestSize]byte{}, "a", false, false},
	} {
		same, known := c.digester.Matches(c.digest, []byte(c.message))
		assert.Equal(t, []bool{c.same, c.known}, []bool{same, known}, name)
	}
}
