package client

import (
	"errors"
	"net"
)

// isDial reports whether no connection could be opened, so that no part of a
// request was sent.
func isDial(err error) bool {
	failed, ok := errors.AsType[*net.OpError](err)
	return ok && failed.Op == "dial"
}
