package keyring_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

func TestSealer_OpensWhatItSealed(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("p")
	for name, plaintext := range map[string][]byte{
		"nil": nil, "empty": {}, "a zero": {0}, "text": []byte("null"), "a mebibyte": bytes.Repeat([]byte{0xff, 0}, 1<<19),
	} {
		for _, additional := range [][]byte{nil, {}, []byte("a")} {
			sealed := s.Seal(plaintext, additional)
			assert.Len(t, sealed, textAt+len(plaintext)+tagSize, name)
			got, err := s.Open(sealed, additional)
			require.NoError(t, err, name)
			assert.NotNil(t, got, name)
			assert.True(t, bytes.Equal(plaintext, got), name)
		}
	}
}

func TestSealer_SealsDifferentlyEachTime(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("p")
	const n = 1000
	nonces := map[string]bool{}
	for range n {
		nonces[string(s.Seal([]byte("x"), nil)[nonceAt:textAt])] = true
	}
	assert.Len(t, nonces, n)
	assert.NotContains(t, string(s.Seal([]byte("a plaintext"), []byte("additional"))), "a plaintext")
	assert.NotContains(t, string(s.Seal([]byte("a plaintext"), []byte("additional"))), "additional")
}

func TestSealer_LeavesArgumentsUnchanged(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("p")
	plaintext, additional := []byte("plain"), []byte("more")
	sealed := s.Seal(plaintext, additional)
	kept := bytes.Clone(sealed)
	opened, err := s.Open(sealed, additional)
	require.NoError(t, err)
	clear(opened)
	assert.Equal(t, kept, sealed)
	assert.Equal(t, "plain more", string(plaintext)+" "+string(additional))
}

func TestSealer_DoesNotOpenAlteredMessages(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1), material(2)).For("p")
	additional := []byte("additional")
	sealed := s.Seal([]byte("the first message"), additional)
	second := s.Seal([]byte("another message!!"), additional)
	otherKey := ring(t, material(2), material(1)).For("p").Seal([]byte("the first message"), additional)
	altered := map[string][]byte{"nil": nil, "empty": {}}
	for i := range sealed {
		for _, bit := range []byte{1, 0x80, 0xff} {
			flipped := bytes.Clone(sealed)
			flipped[i] ^= bit
			altered[fmt.Sprintf("byte %d altered by %#x", i, bit)] = flipped
		}
		altered[fmt.Sprintf("the first %d bytes", i)] = sealed[:i]
		altered[fmt.Sprintf("without the first %d bytes", i+1)] = sealed[i+1:]
		joined := slices.Concat(sealed[:i], second[i:])
		if i > nonceAt && !bytes.Equal(joined, sealed) && !bytes.Equal(joined, second) { // a byte may be the same in both
			altered[fmt.Sprintf("two halves joined at byte %d", i)] = joined
		}
	}
	altered["a zero appended"] = append(bytes.Clone(sealed), 0)
	altered["twice"] = slices.Concat(sealed, sealed)
	altered["under the other key's identifier"] = slices.Concat(sealed[:idAt], otherKey[idAt:nonceAt], sealed[nonceAt:])
	altered["under no key's identifier"] = slices.Concat(sealed[:idAt], make([]byte, 8), sealed[nonceAt:])
	altered["version 0"] = slices.Concat([]byte{0}, sealed[1:])
	altered["version 2"] = slices.Concat([]byte{2}, sealed[1:])
	altered["a header alone"] = sealed[:nonceAt]
	altered["no ciphertext, no tag"] = sealed[:textAt]
	require.Greater(t, len(altered), 5*len(sealed))
	for name, a := range altered {
		got, err := s.Open(a, additional)
		assert.Same(t, keyring.ErrSealed, err, name)
		assert.Nil(t, got, name)
	}
	got, err := s.Open(sealed, additional)
	require.NoError(t, err)
	assert.Equal(t, "the first message", string(got))
}

func TestSealer_DoesNotOpenForeignMessages(t *testing.T) {
	t.Parallel()
	here := ring(t, material(1))
	for name, tc := range map[string]struct {
		from       *keyring.Sealer
		additional string
	}{
		"another purpose":           {here.For("q"), "ab"},
		"a longer purpose":          {here.For("pp"), "ab"},
		"an empty purpose":          {here.For(""), "ab"},
		"another ring":              {ring(t, material(2)).For("p"), "ab"},
		"other additional data":     {here.For("p"), "ac"},
		"no additional data":        {here.For("p"), ""},
		"longer additional data":    {here.For("p"), "ab\x00"},
		"additional data cut short": {here.For("p"), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := here.For("p").Open(tc.from.Seal([]byte("x"), []byte(tc.additional)), []byte("ab"))
			assert.Same(t, keyring.ErrSealed, err)
			assert.Nil(t, got)
		})
	}
}

// Stores and clients hold sealed messages, so a newer build must open the
// messages of an older one.
func TestSealer_OpensMessagesOfOlderBuilds(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("a purpose")
	got, err := s.OpenText(golden, []byte("additional"))
	require.NoError(t, err)
	assert.Equal(t, "a plaintext", string(got))
}

func TestSealer_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := ring(t, material(1))
	s := r.For("p")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				got, err := s.Open(r.For("p").Seal([]byte("x"), nil), nil)
				assert.NoError(t, err)
				assert.Equal(t, "x", string(got))
			}
		})
	}
	wg.Wait()
}

// Property: a message opens only if it is byte for byte the sealed one.
func FuzzAlteredNeverOpens(f *testing.F) {
	f.Add([]byte("plaintext"), []byte("additional"), uint16(0), byte(1), uint16(0), []byte(nil))
	f.Add([]byte(nil), []byte(nil), uint16(9), byte(0x80), uint16(3), []byte{0})
	f.Add([]byte("x"), []byte("y"), uint16(37), byte(0), uint16(0), []byte("tail"))
	s := ring(f, material(1), material(2)).For("p")
	f.Fuzz(func(t *testing.T, plaintext, additional []byte, at uint16, flip byte, cut uint16, tail []byte) {
		sealed := s.Seal(plaintext, additional)
		altered := bytes.Clone(sealed)
		altered[int(at)%len(altered)] ^= flip
		altered = append(altered[:len(altered)-int(cut)%(len(altered)+1)], tail...)
		got, err := s.Open(altered, additional)
		if bytes.Equal(sealed, altered) {
			require.NoError(t, err)
			require.True(t, bytes.Equal(plaintext, got))
			return
		}
		require.Same(t, keyring.ErrSealed, err)
	})
}

func BenchmarkSealer(b *testing.B) {
	s := ring(b, material(1)).For("p")
	plaintext := make([]byte, 4096)
	b.Run("op=seal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Seal(plaintext, nil)
		}
	})
	b.Run("op=open", func(b *testing.B) {
		b.ReportAllocs()
		sealed := s.Seal(plaintext, nil)
		for b.Loop() {
			if _, err := s.Open(sealed, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
