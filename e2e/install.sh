#!/bin/sh
# Installs what the end-to-end tests need on a Debian machine and is missing, as root. Safe to run again.
set -eu
cd "$(dirname "$0")"

# Each word: a file that shows that it is there, and the package that brings it.
missing=
for want in /usr/sbin/nginx:nginx /usr/lib/nginx/modules/ngx_stream_module.so:libnginx-mod-stream \
	/usr/sbin/haproxy:haproxy strace:strace ip:iproute2 chromium:chromium node:nodejs npm:npm \
	rpm:rpm systemd-analyze:systemd mandoc:mandoc groff:groff-base zsh:zsh fish:fish shellcheck:shellcheck; do
	file=${want%%:*} package=${want#*:}
	command -v "$file" >/dev/null || [ -e "$file" ] || missing="$missing $package"
done

if [ -n "$missing" ]; then
	# The tests start proxies of their own. Without this file, installing one would start it as a service.
	policy=/usr/sbin/policy-rc.d
	if [ ! -e "$policy" ]; then
		trap 'rm -f "$policy"' EXIT
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod 755 "$policy"
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -q
	# shellcheck disable=SC2086 # a list of words
	apt-get install -q -y --no-install-recommends $missing
	# Nor should it start with the machine.
	for service in nginx haproxy; do
		case " $missing " in *" $service "*)
			if command -v systemctl >/dev/null; then systemctl disable "$service"; fi ;;
		esac
	done
fi

# npm ci takes ten seconds, so only after the lock has changed.
if [ ! grpcjs/node_modules/.package-lock.json -nt grpcjs/package-lock.json ]; then
	npm ci --prefix grpcjs --no-audit --no-fund --ignore-scripts
	touch grpcjs/node_modules/.package-lock.json
fi
