#!/usr/bin/env python3
"""urllib of Python's standard library, driven by retry-lab audit.

  client   urllib.request of python3, 3.8 or later; tried with 3.11.7
  asks     urlopen in a loop, as people write it by hand: on 429, 500, 502, 503,
           504 and on every OSError or HTTPException it tries again, whatever
           the method, up to RETRY_LAB_RETRIES times, after RETRY_LAB_BASE_MS
           (1 s), doubled each time. It has no regard for Retry-After, keys or the
           deadline. The request is made once, before the loop: a body that is
           streamed is not rewound
  alone    with --no-retry: urlopen, once
  set      the time-out of an attempt is that of urlopen, which bounds each read
           and write, not their sum; no proxies; the CA of the case
  default  all else: redirects are followed, but for a 307 or 308 of what is no
           GET or HEAD; every request has a connection of its own
           ("Connection: close")

Without arguments it makes the request of its environment, with --persistent
those of its standard input; --version says what it is.
"""
import http.client
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

NAMES = ("url", "method", "key", "body_file", "body", "content_type", "timeout_ms",
         "warm_url", "ca_file", "retries", "base_ms")
PASSING = (429, 500, 502, 503, 504)


def carry_out(order, retry):
    """Make one logical request; its answer is never an exception."""
    try:
        opener = make_opener(order)
        if order.get("warm_url"):
            with opener.open(order["warm_url"]) as warm:
                warm.read()
            time.sleep(0.06)
        retries = int(order.get("retries") or 0) if retry else 0
        status, body = with_retries(opener, order, retries)
        return {"ok": True, "status": status, "body": body.decode(errors="replace"), "error": ""}
    except urllib.error.HTTPError as e:
        return {"ok": False, "status": e.code, "body": "", "error": f"answered {e.code}"}
    except (OSError, http.client.HTTPException, ValueError) as e:
        return {"ok": False, "status": 0, "body": "", "error": " ".join(f"{type(e).__name__}: {e}".split())}


def with_retries(opener, order, retries):
    """The loop."""
    request = make_request(order)
    timeout = int(order.get("timeout_ms") or 0) / 1000 or None
    wait = (int(order.get("base_ms") or 0) or 1000) / 1000
    for left in range(retries, -1, -1):
        try:
            with opener.open(request, timeout=timeout) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as e:
            e.close()
            if e.code not in PASSING or left == 0:
                raise
        except (OSError, http.client.HTTPException):
            if left == 0:
                raise
        time.sleep(wait)
        wait *= 2


def make_opener(order):
    """The client: urllib's own, without proxies."""
    context = ssl.create_default_context(cafile=order.get("ca_file") or None)
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))


def make_request(order):
    """A request whose body is bytes, or a file to be read as it is sent."""
    data = None
    path = order.get("body_file")
    if path and os.path.getsize(path) > 0:
        data = open(path, "rb")
        if order.get("body") != "stream":
            with data:
                data = data.read()
    request = urllib.request.Request(order["url"], data=data, method=order.get("method") or "GET")
    if order.get("key"):
        request.add_header("Idempotency-Key", order["key"])
    if order.get("content_type"):
        request.add_header("Content-Type", order["content_type"])
    return request


def once(retry):
    answer = carry_out({name: os.environ.get("RETRY_LAB_" + name.upper(), "") for name in NAMES}, retry)
    if not answer["ok"]:
        print(answer["error"], file=sys.stderr)
        return 1
    sys.stdout.write(answer["body"])
    return 0


def persist(retry):
    print("READY", flush=True)
    for line in sys.stdin:
        try:
            answer = carry_out(json.loads(line), retry)
        except ValueError as e:
            answer = {"ok": False, "status": 0, "body": "", "error": str(e)}
        print(json.dumps(answer), flush=True)
    return 0


def main(arguments):
    retry = "--no-retry" not in arguments
    rest = [a for a in arguments if a != "--no-retry"]
    if rest == []:
        return once(retry)
    if rest == ["--persistent"]:
        return persist(retry)
    if rest == ["--version"]:
        how = "a loop of RETRY_LAB_RETRIES retries" if retry else "no retry"
        print(f"python {sys.version.split()[0]} urllib; {how}; no proxies")
        return 0
    print(f"unknown arguments {rest}: want --no-retry, --persistent, --version or none", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
