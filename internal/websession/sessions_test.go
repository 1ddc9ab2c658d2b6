package websession_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/websession"
)

func TestSessions_EndAfterTheirLifetimeAndAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := websession.New[string](2, time.Hour)
		anna := s.Begin("anna")
		time.Sleep(time.Minute)
		bob := s.Begin("bob")
		value, ok := s.Find(anna)
		assert.True(t, ok)
		assert.Equal(t, "anna", value)
		s.End(bob)
		_, ok = s.Find(bob)
		assert.False(t, ok)
		time.Sleep(59 * time.Minute)
		value, ok = s.Find(anna)
		assert.False(t, ok, "use does not extend a session")
		assert.Empty(t, value)
		_, ok = s.Find("invented")
		assert.False(t, ok)
	})
}

func TestSessions_TheOldestMakesRoomIfNoneHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := websession.New[int](2, time.Hour)
		has := func(id string) bool { _, ok := s.Find(id); return ok }
		first := s.Begin(1)
		time.Sleep(time.Minute)
		second := s.Begin(2)
		time.Sleep(time.Minute)
		third := s.Begin(3)
		assert.Equal(t, []bool{false, true, true}, []bool{has(first), has(second), has(third)})
		time.Sleep(59 * time.Minute)
		fourth := s.Begin(4)
		assert.Equal(t, []bool{false, true, true}, []bool{has(second), has(third), has(fourth)})
	})
}

func TestFormToken_IsBoundToKeyAndParts(t *testing.T) {
	t.Parallel()
	key := websession.NewKey()
	token := websession.FormToken(key, "session", "approve", "7")
	assert.True(t, websession.IsFormToken(token, key, "session", "approve", "7"))
	for name, is := range map[string]bool{
		"another key":    websession.IsFormToken(token, websession.NewKey(), "session", "approve", "7"),
		"another part":   websession.IsFormToken(token, key, "session", "approve", "8"),
		"other borders":  websession.IsFormToken(token, key, "session", "approve7", ""),
		"no token given": websession.IsFormToken("", key, "session", "approve", "7"),
	} {
		assert.False(t, is, name)
	}
}
