package mcpgo

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// cursorBytes is the length to which cursors are filled up, so that it does
	// not tell the length of a name: more than base64 of the longest name.
	cursorBytes = 192
	// cursorPurpose is authenticated with each cursor.
	cursorPurpose = "tools/list cursor"
	// noCursor is what mcp-go cannot read and answers with -32602.
	noCursor mcp.Cursor = "!"
)

// A cursorSeal hides what mcp-go writes into its cursors, with AES-256-GCM under
// a random key: they open in this process alone.
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

func (c *cursorSeal) seal(cursor mcp.Cursor) mcp.Cursor {
	plain := make([]byte, max(cursorBytes, len(cursor)))
	copy(plain, cursor)
	return mcp.Cursor(base64.RawURLEncoding.EncodeToString(c.aead.Seal(nil, nil, plain, []byte(cursorPurpose))))
}

// open returns the cursor that was sealed, and noCursor for anything else.
func (c *cursorSeal) open(sealed mcp.Cursor) mcp.Cursor {
	raw, err := base64.RawURLEncoding.DecodeString(string(sealed))
	if err != nil {
		return noCursor
	}
	plain, err := c.aead.Open(nil, nil, raw, []byte(cursorPurpose))
	if err != nil {
		return noCursor
	}
	return mcp.Cursor(bytes.TrimRight(plain, "\x00"))
}
