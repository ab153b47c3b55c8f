package main

import "os"

// stage puts document in the place of the file at path. There is no fsync: after a power cut the file may be empty.
func stage(path string, document []byte) error {
	temp := path + ".tmp"
	if err := os.WriteFile(temp, document, 0o644); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		_ = os.Remove(temp)
		return err
	}
	return nil
}
