//go:build !unix

package main

import (
	"runtime"
	"time"
)

// processorTime assumes that the process keeps all processors busy.
func processorTime() time.Duration { return wallTime() * time.Duration(runtime.GOMAXPROCS(0)) }
