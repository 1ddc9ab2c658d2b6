package mistake_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/contract/internal/mistake"
)

func TestText_LeavesOutEmptyParts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "[a.b] c: d; e", mistake.Text("a.b", "c", "d", "e"))
	assert.Equal(t, "[a.b]: d; e", mistake.Text("a.b", "", "d", "e"))
	assert.Equal(t, "[a.b] c: d", mistake.Text("a.b", "c", "d", ""))
}

type numbered int

func (n numbered) Error() string { return fmt.Sprint(int(n)) }

func TestList_FindsEveryErrorOfTheTypeInOrder(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	tree := errors.Join(fmt.Errorf("a: %w", numbered(1)), other, errors.Join(numbered(2), numbered(3)))
	assert.Equal(t, []numbered{1, 2, 3}, mistake.List[numbered](tree))
	assert.Nil(t, mistake.List[numbered](other))
	assert.Nil(t, mistake.List[numbered](nil))
}
