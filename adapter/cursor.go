package adapter

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

const (
	// cursorBytes is the length that cursors are padded to, so that they do not
	// reveal the length of a tool's name. It is longer than the base64 of the
	// longest name.
	cursorBytes = 192
	// cursorPurpose is authenticated with each cursor.
	cursorPurpose = "tools/list cursor"
)

// A cursorSeal encrypts cursors, because they can hold the names of tools. It
// uses AES-256-GCM with a random key, so cursors open only in this process.
type cursorSeal struct{ aead cipher.AEAD }

func newCursorSeal() (*cursorSeal, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("adapter: cursor key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("adapter: cursor key: %w", err)
	}
	return &cursorSeal{aead}, nil
}

func (c *cursorSeal) seal(cursor string) string {
	plain := make([]byte, max(cursorBytes, len(cursor)))
	copy(plain, cursor)
	return base64.RawURLEncoding.EncodeToString(c.aead.Seal(nil, nil, plain, []byte(cursorPurpose)))
}

// open returns the cursor, or false if it was not sealed here.
func (c *cursorSeal) open(sealed string) (cursor string, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", false
	}
	plain, err := c.aead.Open(nil, nil, raw, []byte(cursorPurpose))
	if err != nil {
		return "", false
	}
	return string(bytes.TrimRight(plain, "\x00")), true
}
