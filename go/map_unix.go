// SPDX-License-Identifier: MIT

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris

package gsym

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps the file path.
func mapFile(path string) ([]byte, func() error, error) {
	// Without O_NONBLOCK opening a pipe would wait for its writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s: not a regular file", path)
	}
	size := info.Size()
	if size == 0 {
		return nil, func() error { return nil }, nil
	}
	if size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s: too large to be mapped", path)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, int(size),
		syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, func() error { return syscall.Munmap(data) }, nil
}
