package consent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The call is asked about anew, whatever demanded the agreement, but this round was not without progress, so it
// still pays for the next.
func TestSession_AgainForgetsTheAgreementAndNotTheProgress(t *testing.T) {
	t.Parallel()
	outside := &storedQuestion{ID: "q"}
	s := Session{
		State: &QuestionState{StateHeader: StateHeader{Nonce: "n"}}, Grant: Grant{CallID: "c", approved: outside}, continues: true,
		confirmed: true, progressed: true,
	}
	assert.Equal(t, Session{again: true, spent: outside, progressed: true}, s.Again())
}
