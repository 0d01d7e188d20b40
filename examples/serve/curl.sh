#!/bin/sh
# My client must not resend this POST: the server reads it whole and resets the
# connection. A second delivery would be answered 200.
set -eu

call=$RETRY_LAB_CONTROL_URL/calls/curl
curl -fsS -o /dev/null -d '{"id": "curl", "steps": ["reset", "200"]}' "$RETRY_LAB_CONTROL_URL/calls"

# Your client goes here.
if curl -sS -d '12 euros' "$RETRY_LAB_ORIGIN_URL/c/curl/pay" 2>/dev/null; then
	exit 1
fi

# A second delivery ends the wait at once, else 300 ms without one do.
curl -fsS "$call?wait=2&quiet_ms=300" | grep -q '"deliveries":1,'
echo "delivered 1 time, ended by $(curl -fsS "$call" | grep -o '"ended":"[a-z]*"' | cut -d'"' -f4)"
curl -fsS -X DELETE "$call"
