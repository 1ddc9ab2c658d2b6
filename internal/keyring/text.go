package keyring

import (
	"encoding/base64"
	"strings"
)

// textPrefix names the text form and its version.
const textPrefix = "tc1."

// SealText returns what [Sealer.Seal] does as a text of ASCII letters, digits, points, hyphens and
// underscores: "tc1." and base64url without padding (RFC 4648, section 5).
func (s *Sealer) SealText(plaintext, additional []byte) string {
	return textPrefix + base64.RawURLEncoding.EncodeToString(s.Seal(plaintext, additional))
}

// OpenText opens what [Sealer.SealText] returned. Each sealed message has one text: another that decodes
// to the same bytes does not open. The error is [ErrSealed].
func (s *Sealer) OpenText(text string, additional []byte) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, textPrefix)
	if !ok || strings.ContainsAny(encoded, "\r\n") { // which the strict decoder skips too
		return nil, ErrSealed
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, ErrSealed
	}
	return s.Open(sealed, additional)
}
