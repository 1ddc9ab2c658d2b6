package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"

	"github.com/toolcontract/toolcontract/contract/guard"
)

// formToken returns the token of a form of this page. It is an HMAC-SHA256 (RFC
// 2104) over the person that the form was shown to, the session and the
// question.
func (p *Page) formToken(r *http.Request, by guard.Principal, question string) string {
	mac := hmac.New(sha256.New, p.formKey)
	for _, part := range []string{by.Issuer, by.Tenant, by.Subject, sessionOf(r.Context()), question} {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // writing to a hash never fails
		mac.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (p *Page) isFormToken(r *http.Request, by guard.Principal, question, given string) bool {
	return hmac.Equal([]byte(p.formToken(r, by, question)), []byte(given))
}
