package mcpgo

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

const (
	// cursorBytes is the length to which cursors are padded, so that their
	// length does not reveal that of a tool's name. It is more than the base64
	// of the longest name.
	cursorBytes = 192
	// cursorPurpose is authenticated with each cursor.
	cursorPurpose = "tools/list cursor"
	// noCursor is a cursor that mcp-go cannot read and answers with -32602.
	noCursor = "!"
)

// A cursorSeal encrypts cursors, because mcp-go writes the name of a tool into
// them. It uses AES-256-GCM under a random key, so that cursors open in this
// process only.
type cursorSeal struct{ aead cipher.AEAD }

func newCursorSeal() (*cursorSeal, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: cursor key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("mcpgo: cursor key: %w", err)
	}
	return &cursorSeal{aead}, nil
}

func (c *cursorSeal) seal(cursor string) string {
	plain := make([]byte, max(cursorBytes, len(cursor)))
	copy(plain, cursor)
	return base64.RawURLEncoding.EncodeToString(c.aead.Seal(nil, nil, plain, []byte(cursorPurpose)))
}

// open returns the sealed cursor, or noCursor if it was not sealed here.
func (c *cursorSeal) open(sealed string) string {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return noCursor
	}
	plain, err := c.aead.Open(nil, nil, raw, []byte(cursorPurpose))
	if err != nil {
		return noCursor
	}
	return string(bytes.TrimRight(plain, "\x00"))
}
