#!/bin/sh
# Runs check-hotfix and then the node agent's download-hotfix, if the node has the feature switched on. For the agent's own
# launcher, which calls it before anything else:
#
#	/usr/libexec/check-hotfix/provisioning-hotfix.sh
#
# The feature is on if the last assignment of ENABLE_PROVISIONING_HOTFIX in the file of features has the value true, in
# quotes or not. The file is read as text: nothing in it is ever run or expanded. Whatever else is the case, the feature is
# off, and then neither program runs: a pointer that was staged before stays where it is, unread.
#
# It ends in bounded time with status 0, whatever is missing, crashes or hangs, be it the log.
trap 'exit 0' HUP INT TERM
trap '' PIPE # a log that nobody reads any more must not keep the agent from running

# The log, under a number that the shell itself does not write to: what it says of a program that crashed is said below,
# and a log that is full and not read would keep it for ever.
command exec 3>&2 || exec 3>/dev/null # not even a log
exec 2>/dev/null

features=${PROVISIONING_HOTFIX_FEATURES:-/opt/azure/containers/enabled_features.sh}
check=${PROVISIONING_HOTFIX_CHECK:-/usr/bin/check-hotfix}
agent=${PROVISIONING_HOTFIX_AGENT:-/opt/azure/containers/aks-node-controller}

# A file of features has a few lines. One that is larger than this is something else, and counts as missing.
max_bytes=65536

# say is given up after 1 s.
# shellcheck disable=SC2016 # the inner shell expands it
say() { timeout -k 1 1 sh -c 'echo "provisioning-hotfix: $1" >&3' sh "$*"; }

# bounded SECONDS PROGRAM [ARGUMENT]: killed 2 s after it was asked to end. Its failures are its own.
bounded() {
	seconds=$1
	shift
	if [ ! -f "$1" ] || [ ! -x "$1" ]; then
		say "not run, no program: $1"
		return
	fi
	(exec timeout -k 2 "$seconds" "$@" </dev/null 2>&3 3>&-) || say "status $? of: $*"
}

# read_features prints the file, if it is one and small enough. A file that turns out not to end is left after 2 s.
read_features() {
	[ -f "$features" ] || return
	size=$(timeout -k 1 2 head -c $((max_bytes + 1)) -- "$features" 2>/dev/null | wc -c)
	[ "$size" -le "$max_bytes" ] || return
	timeout -k 1 2 head -c "$max_bytes" -- "$features" 2>/dev/null
}

# feature_value prints what stands behind the = of the last assignment, without a comment and blanks at the end. A
# NUL, which would vanish on its way into a variable, becomes a character that makes the value a wrong one.
feature_value() {
	export LC_ALL=C # bytes, whatever they are
	read_features | tr '\000' '?' | sed -n '
		/^[[:space:]]*\(export[[:blank:]][[:blank:]]*\)\{0,1\}ENABLE_PROVISIONING_HOTFIX=/{
			s/^[^=]*=//
			s/[[:space:]][[:space:]]*#.*$//
			s/[[:space:]]*$//
			p
		}' | tail -n 1
}

command -v timeout >/dev/null || {
	echo "provisioning-hotfix: off: nothing is run without timeout(1), which bounds it" >&3 &
	exit 0
}

case $(feature_value) in
true | \"true\" | \'true\') ;;
*)
	say "off: ENABLE_PROVISIONING_HOTFIX is not true in $features"
	exit 0
	;;
esac

bounded 10 "$check" # it ends itself after 6 s
# Also after a check that failed: an earlier boot may have staged a pointer.
bounded 60 "$agent" download-hotfix
exit 0
