package witness

import "golang.org/x/sys/unix"

// nativeArch is the architecture of the table. It has no foreign numbers, so
// foreignBit is above all of them.
const (
	nativeArch = unix.AUDIT_ARCH_AARCH64
	foreignBit = 0x40000000
)

// oldCalls are the system calls that only amd64 has.
func oldCalls() []call { return nil }
