#!/bin/sh
# Builds what a release consists of, in dist/: the binaries, the packages, a bill of materials of each binary, and the
# checksums. Run it with "make dist VERSION=YYYYMM.DD.PATCH". It needs Go and what "make binary" needs, no root, and no network
# but for modules that are not in the cache.
#
# The same source, version and Go release give the same bytes, in whatever folder, at whatever time, by whomever: all that
# would differ is set here.
set -eu
umask 022
cd "$(dirname "$0")/.."

is_version() {
	case $1 in *[!0-9.]*) return 1 ;; esac # a line break, too
	echo "$1" | grep -Eqx '[0-9]{6}\.[0-9]{2}\.(0|[1-9][0-9]*)'
}

VERSION=${1-}
if ! is_version "$VERSION"; then
	echo "dist: VERSION=$VERSION is not YYYYMM.DD.PATCH, which a node's version has to be to get a hotfix" >&2
	exit 1
fi
# Times in the packages are that of the commit.
if [ -z "${SOURCE_DATE_EPOCH-}" ]; then
	SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || {
		echo "dist: outside a git repository, SOURCE_DATE_EPOCH has to be set" >&2
		exit 1
	}
fi
export VERSION SOURCE_DATE_EPOCH
unset MAKEFLAGS
export GOFLAGS=-buildvcs=false GOWORK=off GOEXPERIMENT='' GOAMD64=v1 GOARM64=v8.0 LC_ALL=C TZ=UTC

STAGE=$(mktemp -d)
export STAGE
trap 'rm -rf "$STAGE"' EXIT
out=$STAGE/dist
mkdir "$out"

build() { # OS ARCH BINARY
	GOOS=$1 GOARCH=$2 make -s binary VERSION="$VERSION" BINARY="$3"
}

for ARCH in amd64 arm64; do
	build linux "$ARCH" "$STAGE/check-hotfix_linux_$ARCH"
done

# What the program prints about itself comes from one that runs here.
build "$(go env GOHOSTOS)" "$(go env GOHOSTARCH)" "$STAGE/check-hotfix"
"$STAGE/check-hotfix" man >"$STAGE/check-hotfix.8"
for shell in bash zsh fish; do
	"$STAGE/check-hotfix" completion "$shell" >"$STAGE/check-hotfix.$shell"
done
for file in check-hotfix.8 check-hotfix.bash check-hotfix.zsh check-hotfix.fish; do
	# The exit status of check-hotfix is 0 whatever happens.
	[ -s "$STAGE/$file" ] || { echo "dist: check-hotfix printed no $file" >&2; exit 1; }
done
gzip -n -9 "$STAGE/check-hotfix.8"

CGO_ENABLED=0 go build -C tools -o "$STAGE/nfpm" github.com/goreleaser/nfpm/v2/cmd/nfpm
CGO_ENABLED=0 go build -C tools -o "$STAGE/sbom" ./sbom
for ARCH in amd64 arm64; do
	export ARCH
	binary=$out/check-hotfix_${VERSION}_linux_$ARCH
	cp "$STAGE/check-hotfix_linux_$ARCH" "$binary"
	"$STAGE/sbom" -version "$VERSION" "$binary" >"$binary.cdx.json"
	for packager in deb rpm; do
		"$STAGE/nfpm" package --config packaging/nfpm.yaml --packager "$packager" --target "$out/"
	done
done
(cd "$out" && sha256sum -- * >"$STAGE/SHA256SUMS")
mv "$STAGE/SHA256SUMS" "$out"

rm -rf dist
cp -R "$out" dist
ls -l dist
