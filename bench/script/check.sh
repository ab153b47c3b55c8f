#!/bin/sh
# What one would script in place of check-hotfix, with curl, grpcurl, jq and mv.
#
#   check.sh GRPCURL NODE_CONFIG POINTER TARGET METADATA_URL
#
# It is a yardstick, not a substitute. grpcurl offers the protocol "h2" alone, and has one name for SNI, authority and
# certificate: behind a real front, which routes on ALPN and SNI, this call would not reach the service. One thing comes
# after the other, no answer is told from another, nothing is validated, merged, synced or reported.
set -eu
grpcurl=$1 config=$2 pointer=$3 target=$4 metadata=$5
proto=${0%/*}/../../e2e/grpcjs

work=$(mktemp -d "$pointer.XXXXXX")
trap 'rm -rf "$work"' EXIT

fetch() {
	token=$(curl -sSf --noproxy '*' --max-time 3 --max-filesize 1048576 -H 'Metadata: true' \
		"$metadata/metadata/attested/document?api-version=2025-04-07" | jq -er .signature) &&
		jq -r .kubernetes_ca_cert "$config" | base64 -d >"$work/ca.pem" &&
		call >"$work/answer" && jq -er .config "$work/answer" >"$work/pointer"
}

# The token goes through the environment: a command line can be read by everybody.
# shellcheck disable=SC2016 # grpcurl expands it
call() {
	TOKEN=$token "$grpcurl" -connect-timeout 3 -max-time 3 -cacert "$work/ca.pem" \
		-servername aks-security-patch.data.mcr.microsoft.com \
		-import-path "$proto" -proto livepatching.proto -expand-headers -H 'authorization: ${TOKEN}' \
		-d '{"component_name":"aksNodeController"}' \
		"$target" akslivepatching.v1.LivePatchingService/GetComponentConfig
}

if ! fetch; then
	jq -ec '{hotfixes}' "$config" >"$work/pointer"
fi
mv "$work/pointer" "$pointer"
