//go:build !unix

package main

import "syscall"

// account does nothing: the server runs in this account.
func account(string) (*syscall.SysProcAttr, error) { return nil, nil }
