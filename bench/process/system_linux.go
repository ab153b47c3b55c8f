package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystem names what kind of file system a folder is on.
func fileSystem(folder string) string {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return "–"
	}
	switch stat.Type {
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.EXT4_SUPER_MAGIC: // also that of ext2 and ext3
		return "ext4"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	}
	return fmt.Sprintf("file system %#x", stat.Type)
}

// realTime reports whether this process, and with it those that it starts, comes before all ordinary ones.
func realTime() bool {
	attr, err := unix.SchedGetAttr(0, 0)
	return err == nil && (attr.Policy == unix.SCHED_FIFO || attr.Policy == unix.SCHED_RR)
}
