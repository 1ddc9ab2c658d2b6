package keyring

import (
	"encoding/base64"
	"strings"
)

// textPrefix begins every text and gives its format and version.
const textPrefix = "tc1."

// SealText is like [Sealer.Seal] but returns text: "tc1." and base64url without
// padding (RFC 4648, section 5). It consists of ASCII letters, digits, dots,
// hyphens and underscores.
func (s *Sealer) SealText(plaintext, additional []byte) string {
	return textPrefix + base64.RawURLEncoding.EncodeToString(s.Seal(plaintext, additional))
}

// OpenText opens what [Sealer.SealText] returned. Only that exact text opens,
// not another one that decodes to the same bytes. Every error is [ErrSealed].
func (s *Sealer) OpenText(text string, additional []byte) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, textPrefix)
	if !ok || strings.ContainsAny(encoded, "\r\n") { // even the strict decoder skips line breaks
		return nil, ErrSealed
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, ErrSealed
	}
	if s.foreign != nil && s.isForeign(sealed) {
		s.foreign()
	}
	return s.Open(sealed, additional)
}
