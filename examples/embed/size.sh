#!/bin/sh
# What bootpointer adds to a host that links grpc-go and urfave/cli already: bytes of the stripped static binary, and
# packages. "http" is the same host with the standard HTTP client in use.
set -eu
cd "$(dirname "$0")"
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT

measure() { # NAME TAGS PACKAGE
	CGO_ENABLED=0 go build -trimpath -tags "$2" -ldflags '-s -w' -o "$binary" "$3"
	printf '%-10s %9d bytes  %d packages\n' "$1" "$(wc -c <"$binary")" "$(go list -tags "$2" -deps "$3" | wc -l)"
}

measure host '' ./testdata/host
measure host,http http ./testdata/host
measure embed '' .
