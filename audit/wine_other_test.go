//go:build !windows

package audit_test

func isWine() bool { return false }
