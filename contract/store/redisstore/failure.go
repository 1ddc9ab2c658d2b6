package redisstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/toolcontract/toolcontract/contract/store"
)

// failure returns the error of an operation. Of what the server says only the first word is kept, which is
// its code, for the rest may repeat keys and arguments.
func failure(err error) error {
	var said redis.Error
	switch {
	case errors.As(err, &said) && strings.Contains(said.Error(), "OOM command not allowed"):
		return store.ErrFull
	case said != nil:
		return fmt.Errorf("redisstore: the server answered %s", code(said.Error()))
	default:
		return fmt.Errorf("redisstore: %w", err)
	}
}

func code(said string) string {
	word, _, _ := strings.Cut(said, " ")
	if word == "" || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return "an error without a code"
	}
	return word
}

// errReply is what a reply of another form than the scripts have means: the server is no Redis, or
// something between changes what it says.
var errReply = errors.New("redisstore: the reply is malformed")
