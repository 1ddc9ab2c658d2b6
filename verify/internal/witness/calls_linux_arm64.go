package witness

import "golang.org/x/sys/unix"

// nativeArch is the table's architecture. It has no foreign numbers, so
// foreignBit is above all of them.
const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	foreignBit = 0x40000000
)

// oldCalls returns the system calls that only amd64 has: none here.
func oldCalls() []call { return nil }
