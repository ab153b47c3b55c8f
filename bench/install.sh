#!/bin/sh
# Installs what script/check.sh needs on a Debian machine and is missing, as root. Without it the script is not measured.
set -eu

missing=
for program in curl jq; do
	command -v "$program" >/dev/null || missing="$missing $program"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "not installed, for want of root or of apt-get:$missing" >&2
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086 # a list of words
apt-get install -q -y --no-install-recommends $missing
