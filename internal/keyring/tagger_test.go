package keyring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/keyring"
)

func TestTagger_VerifiesMessagePurposeAndKey(t *testing.T) {
	t.Parallel()
	message := []byte("message")
	mine := ring(t, material(1)).TaggerFor("p")
	tag := mine.Tag(message)
	assert.Len(t, tag, keyring.TagSize)
	assert.True(t, mine.Verify(message, tag))
	assert.False(t, mine.Verify([]byte("massage"), tag), "another message")
	assert.False(t, mine.Verify(message, tag[1:]), "a part of the tag")
	assert.False(t, mine.Verify(message, append(tag, 0)), "more than the tag")
	assert.False(t, mine.Verify(message, nil), "no tag")
	assert.False(t, ring(t, material(1)).TaggerFor("q").Verify(message, tag), "another purpose")
	assert.False(t, ring(t, material(2)).TaggerFor("p").Verify(message, tag), "another key")
	for i := range tag {
		flipped := append([]byte{}, tag...)
		flipped[i] ^= 1
		assert.False(t, mine.Verify(message, flipped), "byte %d", i)
	}
}

func TestTagger_VerifiesTagsAcrossARotation(t *testing.T) {
	t.Parallel()
	message := []byte("message")
	last, next := material(1), material(2)
	before, both, after := ring(t, last).TaggerFor("p"), ring(t, next, last).TaggerFor("p"), ring(t, next).TaggerFor("p")
	assert.True(t, both.Verify(message, before.Tag(message)), "the old key still verifies")
	assert.True(t, after.Verify(message, both.Tag(message)), "the first key tags")
	assert.False(t, after.Verify(message, before.Tag(message)), "the old key is retired")
}

func TestTagger_VerifiesABeginning(t *testing.T) {
	t.Parallel()
	message := []byte("message")
	last, next := material(1), material(2)
	both := ring(t, next, last).TaggerFor("p")
	for _, part := range [][]byte{both.Tag(message)[:2], ring(t, last).TaggerFor("p").Tag(message)[:2]} {
		assert.True(t, both.VerifyPart(message, part))
		assert.False(t, both.Verify(message, part))
		assert.False(t, both.VerifyPart([]byte("massage"), part), "another message")
	}
	assert.False(t, both.VerifyPart(message, append(both.Tag(message), 0)), "more than the tag")
}
