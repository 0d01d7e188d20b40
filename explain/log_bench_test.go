package explain_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/explain"
)

// failing are the error lines of the benchmark's log.
var failing = []string{
	`level=error msg="charge failed" err="Post \"https://pay.host.example/v1\": dial tcp 192.0.2.7:443: connect: connection refused"`,
	`ERROR upstream call: java.net.SocketTimeoutException: Read timed out`,
	`{"level":50,"time":1704164645000,"msg":"request failed","err":{"message":"read ECONNRESET","code":"ECONNRESET","syscall":"read"}}`,
	`requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))`,
	`[error] 7#7: *41 upstream timed out (110: Connection timed out) while reading response header from upstream, client: 192.0.2.1, request: "POST /x HTTP/1.1"`,
	`cURL error 28: Operation timed out after 8002 milliseconds with 0 out of -1 bytes received`,
}

// calm are its other lines.
var calm = []string{
	`level=info msg="request served" method=GET path=/items/%d status=200 bytes=5120 elapsed=12ms remote=192.0.2.%d`,
	`INFO  c.e.shop.OrderService - order %d accepted for customer 4711 with 3 lines, total 129.90 (worker %d)`,
	`{"level":30,"time":1704164645000,"pid":1,"hostname":"node-a","reqId":"req-%d","msg":"incoming request","attempts":%d}`,
	`192.0.2.9 - - "GET /static/app.%d.js HTTP/1.1" 200 48213 "https://shop.example/" "Mozilla/5.0 (X11; Linux x86_64)" %d`,
	`DEBUG cache: key user:%d:profile refreshed from replica %d after the time to live had expired`,
}

// writeLog writes a log of about size bytes in which one line in a hundred is
// an error.
func writeLog(w io.Writer, size int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	for n, written := 0, 0; written < size; n++ {
		line := fmt.Sprintf(calm[n%len(calm)], n, n%7)
		if n%100 == 50 {
			line = failing[n/100%len(failing)]
		}
		k, err := fmt.Fprintf(b, "%s %s\n", at.Add(time.Duration(n)*time.Millisecond).Format("2006-01-02T15:04:05.000Z"), line)
		if err != nil {
			return err
		}
		written += k
	}
	return b.Flush()
}

func BenchmarkLog(b *testing.B) {
	const size = 256 << 20
	path := filepath.Join(b.TempDir(), "app.log")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(writeLog(f, size), f.Close()); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers))
			b.SetBytes(size)
			for range b.N {
				f, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				s, err := explain.Log(context.Background(), f, explain.LogOptions{Workers: workers})
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
				if s.Records == 0 {
					b.Fatal("no record found")
				}
				b.ReportMetric(float64(s.Records), "records")
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "sys-MiB")
		})
	}
	b.Run("grep", func(b *testing.B) {
		grep, err := exec.LookPath("grep")
		if err != nil {
			b.Skip(err)
		}
		var quoted []string
		for _, p := range explain.Phrases() {
			quoted = append(quoted, regexp.QuoteMeta(p))
		}
		b.SetBytes(size)
		for range b.N {
			cmd := exec.Command(grep, "-c", "-E", strings.Join(quoted, "|"), path)
			cmd.Env = append(os.Environ(), "LC_ALL=C")
			out, err := cmd.CombinedOutput()
			if err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	rows := []struct{ name, text string }{
		{"go-refused", `Post "https://host.example/v1": dial tcp 192.0.2.7:443: connect: connection refused`},
		{"java-read", "java.net.SocketTimeoutException: Read timed out"},
		{"node-stack", "Error: read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20) {\n  errno: -104,\n  code: 'ECONNRESET',\n  syscall: 'read'\n}"},
		{"unknown", "hello world, nothing to see here"},
		{"long", strings.Repeat("2024-01-02 something happened on line\n", 200) + "read ECONNRESET"},
	}
	for _, r := range rows {
		b.Run(r.name, func(b *testing.B) {
			text := []byte(r.text)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				explain.Text(text)
			}
		})
	}
}
