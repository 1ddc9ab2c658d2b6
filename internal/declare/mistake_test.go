package declare_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/internal/declare"
)

func TestMistakeText_LeavesOutEmptyParts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "[a.b] c: d; e", declare.MistakeText("a.b", "c", "d", "e"))
	assert.Equal(t, "[a.b]: d; e", declare.MistakeText("a.b", "", "d", "e"))
	assert.Equal(t, "[a.b] c: d", declare.MistakeText("a.b", "c", "d", ""))
}

type numbered int

func (n numbered) Error() string { return fmt.Sprint(int(n)) }

func TestMistakes_FindsEveryErrorOfTheTypeInOrder(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	tree := errors.Join(fmt.Errorf("a: %w", numbered(1)), other, errors.Join(numbered(2), numbered(3)))
	assert.Equal(t, []numbered{1, 2, 3}, declare.Mistakes[numbered](tree))
	assert.Nil(t, declare.Mistakes[numbered](other))
	assert.Nil(t, declare.Mistakes[numbered](nil))
}
