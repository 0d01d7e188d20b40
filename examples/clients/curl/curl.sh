#!/bin/sh
# curl --retry, driven by retry-lab audit.
#
#   client   the curl of PATH: at least 7.84 (for --rate), tried with 7.88.1
#   asks     curl -f -L --retry $RETRY_LAB_RETRIES, one invocation
#   set      --max-time is the time-out of an attempt: --retry starts it anew;
#            --retry-max-time is the deadline, rounded down to whole seconds
#            and not below 1: it ends the retrying, not an attempt under way;
#            no proxies, no ~/.curlrc; the CA of the case
#   default  all else: the backoff is curl's own (1 s, doubling), for --retry-delay
#            is one fixed wait and knows no fraction: RETRY_LAB_BASE_MS is not used
#
# A body to stream comes through a pipe, which curl cannot rewind. In replay/
# cases curl is given both URLs: it keeps the connection, and --rate 8/s makes
# the second transfer start 125 ms after the first one did, which is 60 ms after
# the end of it with some to spare. Retries are not paced by it.
#
# curl.sh makes the request of its environment, curl.sh --version says what it is.
set -eu

if [ "${1:-}" = --version ]; then
	curl --version | sed -n 's/^\(curl [^ ]*\).*/\1; --retry RETRY_LAB_RETRIES -f -L; no proxies/p'
	exit
fi

# What every transfer needs: --next forgets all of it.
set -- -sS -f -L --noproxy '*' --retry "${RETRY_LAB_RETRIES:-0}"
if [ -n "${RETRY_LAB_TIMEOUT_MS:-}" ]; then
	set -- "$@" --max-time "$((RETRY_LAB_TIMEOUT_MS / 1000)).$(printf %03d "$((RETRY_LAB_TIMEOUT_MS % 1000))")"
fi
if [ -n "${RETRY_LAB_DEADLINE_MS:-}" ]; then
	seconds=$((RETRY_LAB_DEADLINE_MS / 1000))
	set -- "$@" --retry-max-time "$((seconds > 0 ? seconds : 1))" # 0 is no limit
fi
if [ -n "${RETRY_LAB_CA_FILE:-}" ]; then
	set -- "$@" --cacert "$RETRY_LAB_CA_FILE"
fi
if [ -n "${RETRY_LAB_WARM_URL:-}" ]; then
	set -- --fail-early --rate 8/s "$@" -o /dev/null "$RETRY_LAB_WARM_URL" --next "$@"
fi

if [ -n "${RETRY_LAB_KEY:-}" ]; then
	set -- "$@" -H "Idempotency-Key: $RETRY_LAB_KEY"
fi
if [ -n "${RETRY_LAB_CONTENT_TYPE:-}" ]; then
	set -- "$@" -H "Content-Type: $RETRY_LAB_CONTENT_TYPE"
fi

# -X stays when a redirect changes the method: it is for what has no option of
# its own.
method=${RETRY_LAB_METHOD:-GET}
body=${RETRY_LAB_BODY_FILE:-/dev/null}
if [ -s "$body" ] && [ "${RETRY_LAB_BODY:-file}" = stream ]; then
	if [ "$method" != PUT ]; then
		set -- "$@" -X "$method"
	fi
	cat "$body" | curl -q "$@" -T - "$RETRY_LAB_URL"
	exit
fi
case $method in
GET) ;;
HEAD) set -- "$@" -I ;;
POST) set -- "$@" --data-binary "@$body" ;;
*)
	set -- "$@" -X "$method"
	if [ -s "$body" ]; then
		set -- "$@" --data-binary "@$body"
	fi
	;;
esac
exec curl -q "$@" "$RETRY_LAB_URL"
