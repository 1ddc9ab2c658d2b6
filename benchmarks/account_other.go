//go:build !unix

package main

import "syscall"

// account does nothing: the server runs as the current user.
func account(string) (*syscall.SysProcAttr, error) { return nil, nil }
