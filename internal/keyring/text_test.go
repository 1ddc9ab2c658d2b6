package keyring_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

// golden is a recorded text, sealed for "a purpose" with the additional data
// "additional" by the key of ones.
const golden = "tc1.AUAROBKwCqG9OW4N81bjq_p_iby3cFmZ-zRn6SqgsekCe-AErW4QhtIO7hSCxDVE"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

func TestText_Opens(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("p")
	for length := range 70 {
		plaintext := strings.Repeat("x", length)
		text := s.SealText([]byte(plaintext), []byte("a"))
		encoded, ok := strings.CutPrefix(text, "tc1.")
		require.True(t, ok)
		assert.Empty(t, strings.Trim(encoded, alphabet))
		got, err := s.OpenText(text, []byte("a"))
		require.NoError(t, err)
		assert.Equal(t, plaintext, string(got))
	}
}

func TestText_IsUniqueForEachMessage(t *testing.T) {
	t.Parallel()
	s := ring(t, material(1)).For("p")
	for length := range 3 { // covers all three ways in which base64 ends
		text := s.SealText([]byte("xyz"[:length]), nil)
		last := len(text) - 1
		altered := []string{
			"", "tc1.", "tc1", text[4:], "TC1." + text[4:], "tc2." + text[4:], "tc1.." + text[4:], "tc1.tc1." + text[4:],
			text + "=", text + "==", text + "A", text + "\n", text + "\r\n", text + " ", " " + text, text + "\x00",
			text[:20] + "\n" + text[20:], text[:20] + "\r" + text[20:], text[:20] + " " + text[20:], text[:20] + "+" + text[21:],
			text[:last], text[:last] + "=", strings.ToLower(text), text + "." + text[4:],
		}
		for _, c := range alphabet {
			if byte(c) != text[last] {
				altered = append(altered, text[:last]+string(c))
			}
		}
		for _, a := range altered {
			got, err := s.OpenText(a, nil)
			assert.Same(t, keyring.ErrSealed, err, "%q", a)
			assert.Nil(t, got)
		}
	}
}

func TestText_DoesNotOpenWithAnotherSealer(t *testing.T) {
	t.Parallel()
	r := ring(t, material(1))
	text := r.For("p").SealText([]byte("x"), []byte("a"))
	for _, s := range []*keyring.Sealer{r.For("q"), ring(t, material(2)).For("p")} {
		_, err := s.OpenText(text, []byte("a"))
		assert.ErrorIs(t, err, keyring.ErrSealed)
	}
	_, err := r.For("p").OpenText(text, []byte("b"))
	assert.ErrorIs(t, err, keyring.ErrSealed)
}

func TestText_OfAnotherRingIsReported(t *testing.T) {
	t.Parallel()
	foreign := 0
	r := ring(t, material(1))
	r.OnForeign(func() { foreign++ })
	s := r.For("p")
	text := s.SealText([]byte("x"), nil)
	for _, own := range []string{text, "", "tc1.", "tc1.AQ", text[:len(text)-1], ring(t, material(1)).For("q").SealText(nil, nil)} {
		_, _ = s.OpenText(own, nil)
	}
	assert.Zero(t, foreign)
	_, err := s.OpenText(ring(t, material(2)).For("p").SealText([]byte("x"), nil), nil)
	assert.Same(t, keyring.ErrSealed, err)
	assert.Equal(t, 1, foreign)
}

// Property: only the text that was sealed opens.
func FuzzOpenText(f *testing.F) {
	s := ring(f, material(1)).For("a purpose")
	f.Add(golden)
	f.Add(golden + "\n")
	f.Add("tc1.")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := s.OpenText(text, []byte("additional")); err == nil {
			require.Equal(t, golden, text)
		}
	})
}
