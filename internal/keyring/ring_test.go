package keyring_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

func Example() {
	ring, err := keyring.New([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		fmt.Println(err)
		return
	}
	results := ring.For("results")
	sealed := results.Seal([]byte("the answer"), []byte("record 7"))
	plaintext, err := results.Open(sealed, []byte("record 7"))
	fmt.Printf("%s, %v\n", plaintext, err)
	_, err = results.Open(sealed, []byte("record 8"))
	fmt.Println(err)
	// Output:
	// the answer, <nil>
	// keyring: not sealed with these keys for this purpose, or altered
}

func TestNew_RefusesUnsafeKeys(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keys [][]byte
		text string
	}{
		"no key":                        {nil, "keyring: there is no key"},
		"a nil key":                     {[][]byte{nil}, "keyring: key 1 is shorter than 32 bytes"},
		"a byte too short":              {[][]byte{material(1), material(2)[1:]}, "keyring: key 2 is shorter than 32 bytes"},
		"the same key twice":            {[][]byte{material(1), material(1)}, "keyring: keys 1 and 2 are the same"},
		"the same key twice, far apart": {[][]byte{material(1), material(2), material(1)}, "keyring: keys 1 and 3 are the same"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := keyring.New(tc.keys...)
			assert.EqualError(t, err, tc.text)
			assert.Nil(t, r)
		})
	}
}

func TestNew_DoesNotRetainKeys(t *testing.T) {
	t.Parallel()
	key := material(1)
	before := ring(t, key)
	clear(key)
	sealed := before.For("p").Seal([]byte("x"), nil)
	_, err := ring(t, material(1)).For("p").Open(sealed, nil)
	assert.NoError(t, err, "the ring still has the key it was given")
}

func TestNew_TakesALongerKeyAsAnotherKey(t *testing.T) {
	t.Parallel()
	long := append(material(1), 0)
	_, err := ring(t, long).For("p").Open(ring(t, material(1)).For("p").Seal(nil, nil), nil)
	assert.ErrorIs(t, err, keyring.ErrSealed)
}

// Processes deploy one after the other. At each step, every process opens what
// any other sealed.
func TestRing_RotatesKeysInThreeSteps(t *testing.T) {
	t.Parallel()
	last, next := material(1), material(2)
	phases := []*keyring.Ring{ring(t, last), ring(t, last, next), ring(t, next, last), ring(t, next)}
	for i, r := range phases[:3] {
		sealer, other := r.For("p"), phases[i+1].For("p")
		there, back := sealer.Seal([]byte("there"), nil), other.Seal([]byte("back"), nil)
		if i < 2 { // before the last step, no message of the old key is needed any more
			got, err := other.Open(there, nil)
			require.NoError(t, err, "phase %d", i)
			assert.Equal(t, "there", string(got))
		}
		if i > 0 { // the first step adds the new key, which does not seal yet
			got, err := sealer.Open(back, nil)
			require.NoError(t, err, "phase %d", i)
			assert.Equal(t, "back", string(got))
		}
	}
	_, err := phases[3].For("p").Open(phases[1].For("p").Seal(nil, nil), nil)
	assert.ErrorIs(t, err, keyring.ErrSealed, "the old key is retired")
	_, err = phases[0].For("p").Open(phases[2].For("p").Seal(nil, nil), nil)
	assert.ErrorIs(t, err, keyring.ErrSealed, "the first key seals")
	_, err = phases[0].For("p").Open(phases[1].For("p").Seal(nil, nil), nil)
	assert.NoError(t, err, "the last key does not seal yet")
}

func TestTheIdentifierIsTheKeysAndOfNoPurpose(t *testing.T) {
	t.Parallel()
	id := func(r *keyring.Ring, purpose string) string {
		return string(r.For(purpose).Seal(nil, nil)[idAt:nonceAt])
	}
	one := ring(t, material(1))
	assert.Equal(t, id(one, "p"), id(one, "q"))
	assert.Equal(t, id(one, "p"), id(ring(t, material(1), material(2)), "p"))
	assert.NotEqual(t, id(one, "p"), id(ring(t, material(2)), "p"))
	assert.NotContains(t, string(material(1)), id(one, "p"))
}
