//go:build !unix

package databasetest

import (
	"syscall"
	"testing"
)

// account returns nil, because no server is started on this system.
func account(testing.TB, string) *syscall.SysProcAttr { return nil }
