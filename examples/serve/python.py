# My client must not resend this POST: the server reads it whole and resets the
# connection. A second delivery would be answered 200.
import json, os, urllib.request

control = os.environ["RETRY_LAB_CONTROL_URL"]

def ask(url, body=None):
    with urllib.request.urlopen(url, body) as answer:
        return json.load(answer)

call = ask(f"{control}/calls", b'["reset", "200"]')
try:  # your client goes here
    raise SystemExit(f"answered: {ask(call['url'] + 'pay', b'12 euros')}")
except OSError:
    pass

# A second delivery ends the wait at once, else 300 ms without one do.
record = ask(f"{control}/calls/{call['id']}?wait=2&quiet_ms=300")
assert record["deliveries"] == 1, record
print(f"delivered {record['deliveries']} time, ended by {record['ledger'][0]['ended']}")
