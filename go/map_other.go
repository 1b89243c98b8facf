// SPDX-License-Identifier: MIT

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || solaris)

package gsym

import "os"

// mapFile reads the file path: this system's mappings are not used.
func mapFile(path string) ([]byte, func() error, error) {
	data, err := os.ReadFile(path)
	return data, func() error { return nil }, err
}
