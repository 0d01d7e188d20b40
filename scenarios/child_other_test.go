//go:build !linux

package scenarios

func linuxChildren() []*Case { return nil }
