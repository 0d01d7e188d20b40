package explain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

// A traceback is one record with the line that logged it and the exception that
// ends it; a stack of something else before it is another record.
func TestATracebackInALogIsOneRecord(t *testing.T) {
	const log = `2026-01-02 03:04:06,000 ERROR charge failed
Traceback (most recent call last):
  File "connectionpool.py", line 1, in _raise_timeout
    raise ReadTimeoutError(
urllib3.exceptions.ConnectTimeoutError: HTTPConnectionPool(host='h.example', port=80): connect timed out
2026-01-02 03:04:07,000 ERROR charge failed: connection refused
Traceback (most recent call last):
  File "a.py", line 1, in f
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "b.py", line 1, in f
requests.exceptions.ConnectionError: Max retries exceeded (Caused by NewConnectionError: [Errno 111] Connection refused)
2026-01-02 03:04:08,000 INFO ok
java.net.ConnectException: Connection refused
	at java.base/sun.nio.ch.Net.connect0(Native Method)
Traceback (most recent call last):
  File "x.py", line 1, in <module>
ConnectionResetError: [Errno 104] Connection reset by peer
Traceback (most recent call last):
  File "x.py", line 1, in <module>
BrokenPipeError: [Errno 32] Broken pipe
ERROR:root:lookup failed
Traceback (most recent call last):
  File "x.py", line 1, in <module>
socket.gaierror: [Errno -2] Name or service not known
`
	want := []struct{ begin, code, phase, time string }{
		{"2026-01-02 03:04:06,000 ERROR", "TIMEOUT", "connect", "03:04:06"},
		{"2026-01-02 03:04:07,000 ERROR", "ECONNREFUSED", "connect", "03:04:07"},
		{"java.net.ConnectException", "ECONNREFUSED", "connect", "00:00:00"},
		{"Traceback", "ECONNRESET", "await", "00:00:00"},
		{"Traceback", "EPIPE", "write", "00:00:00"},
		{"ERROR:root:", "ENOTFOUND", "resolve", "00:00:00"},
	}
	var got []explain.LogRecord
	_, err := explain.Log(context.Background(), strings.NewReader(log), explain.LogOptions{OnRecord: func(r explain.LogRecord) { got = append(got, r) }})
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d records, want %d (%v)", len(got), len(want), err)
	}
	for i, w := range want {
		r := got[i]
		if !strings.HasPrefix(r.Text, w.begin) || string(r.Answer.Code) != w.code || string(r.Answer.Phase) != w.phase || r.Time.Format("15:04:05") != w.time {
			t.Errorf("record %d: %s %s %v %q; want %v", i, r.Answer.Code, r.Answer.Phase, r.Time, r.Text, w)
		}
	}
}
