package main

import (
	"errors"
	"runtime"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// builtTools is how many tools the figures of building are about.
const builtTools = 1000

// buildGroup builds the contracts of many tools.
func buildGroup() group {
	return group{name: "build", variants: []variant{{name: "build_1000_tools", times: 1, open: func() (func() error, func(), error) {
		return func() error {
			_, err := built(names(builtTools))
			return err
		}, func() {}, nil
	}}}, batch: time.Millisecond}
}

// built returns the tool's contract under each name.
func built(names []string) ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, name := range names {
		t, err := orders(name).Build()
		tools, errs = append(tools, t), append(errs, err)
	}
	return tools, errors.Join(errs...)
}

// heapOfTools returns the KiB of live heap of each built tool.
func heapOfTools() (float64, error) {
	before := liveHeap()
	tools, err := built(names(builtTools))
	if err != nil {
		return 0, err
	}
	after := liveHeap()
	runtime.KeepAlive(tools)
	return float64(after-before) / 1024 / builtTools, nil
}

func liveHeap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
