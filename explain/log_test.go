package explain_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/retry-lab/retry-lab/explain"
)

func TestLogFindsEveryRecordWhateverTheChunks(t *testing.T) {
	records := []struct {
		text string
		code string
	}{
		{"2024-01-02T03:04:05Z ERR Post \"https://host.example/\": dial tcp 192.0.2.1:443: connect: connection refused\n", "ECONNREFUSED"},
		{"2024-01-02T03:04:05Z Error: read ECONNRESET\n    at TLSWrap.onStreamRead (node:internal/stream_base_commons:217:20) {\n  errno: -104,\n  code: 'ECONNRESET'\n}\n", "ECONNRESET"},
		{"2024-01-02 03:04:05 ERROR call failed\norg.example.Wrapped: no luck\n\tat a.b(C.java:1)\nCaused by: java.net.SocketTimeoutException: Read timed out\n\tat c.d(E.java:2)\n\t... 12 more\n", "TIMEOUT"},
		{"2024-01-02 03:04:05 ERROR job died\nTraceback (most recent call last):\n  File \"a.py\", line 1, in b\n    c()\nrequests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))\n", "EOF"},
		{"Jan 02 03:04:05 node-a nginx[1]: upstream prematurely closed connection while reading response header from upstream\n", "EOF"},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var log bytes.Buffer
	want := map[string]int64{}
	for log.Len() < 3<<20 {
		for range rng.IntN(40) {
			fmt.Fprintf(&log, "2024-01-02T03:04:05Z INFO %s\n", strings.Repeat("all is well ", 1+rng.IntN(30)))
		}
		r := records[rng.IntN(len(records))]
		log.WriteString(r.text)
		want[r.code]++
	}
	for _, workers := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(workers, " workers"), func(t *testing.T) {
			s, err := explain.Log(t.Context(), bytes.NewReader(log.Bytes()), explain.LogOptions{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for _, g := range s.Groups {
				got[string(g.Code)] += g.Count
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("Log found %v, want %v", got, want)
			}
			if s.Bytes != int64(log.Len()) {
				t.Errorf("Log read %d bytes, want %d", s.Bytes, log.Len())
			}
		})
	}
}

func TestLogGroupsCountsAndDates(t *testing.T) {
	const log = `{"time":"2024-01-02T03:04:05Z","level":"info","msg":"started"}
{"time":"2024-01-02T03:05:00Z","level":"error","msg":"dial tcp 192.0.2.1:443: connect: connection refused"}
{"time":"2024-01-02T03:04:59Z","level":"error","msg":"dial tcp 192.0.2.1:443: connect: connection refused"}
{"time":"2024-01-02T04:00:00Z","level":"error","msg":"read tcp 192.0.2.9:1->192.0.2.1:443: read: connection reset by peer"}
`
	var order []int64
	s, err := explain.Log(t.Context(), strings.NewReader(log), explain.LogOptions{OnRecord: func(r explain.LogRecord) { order = append(order, r.Offset) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Groups) != 2 || s.Records != 3 || s.SafePost != 2 {
		t.Fatalf("Log = %d groups, %d records, %d safe; want 2, 3, 2: %+v", len(s.Groups), s.Records, s.SafePost, s.Groups)
	}
	g := s.Groups[0]
	if g.Code != "ECONNREFUSED" || g.Phase != "connect" || g.Runtime != "go" || g.Host != "192.0.2.1" || g.Count != 2 || g.SafePost != 2 {
		t.Errorf("the first group is %+v", g)
	}
	first, last := time.Date(2024, 1, 2, 3, 4, 59, 0, time.UTC), time.Date(2024, 1, 2, 3, 5, 0, 0, time.UTC)
	if !g.First.Equal(first) || !g.Last.Equal(last) {
		t.Errorf("the first group is from %v to %v, want %v to %v", g.First, g.Last, first, last)
	}
	if fmt.Sprint(order) != fmt.Sprint([]int64{int64(strings.Index(log, `{"time":"2024-01-02T03:05:00Z"`)), int64(strings.Index(log, `{"time":"2024-01-02T03:04:59Z"`)), int64(strings.Index(log, `{"time":"2024-01-02T04`))}) {
		t.Errorf("records came in the order %v", order)
	}
}

func TestLogReadsTheTimeOfEveryFormat(t *testing.T) {
	now := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	rows := []struct {
		line string
		want time.Time
	}{
		{"2024-01-02T03:04:05Z ", at},
		{"2024-01-02T03:04:05.250+02:00 ", at.Add(-2*time.Hour + 250*time.Millisecond)},
		{"2024-01-02 03:04:05,250 ERROR ", at.Add(250 * time.Millisecond)},
		{"2024/01/02 03:04:05 ", at},
		{"Jan 02 03:04:05 node-a app[1]: ", at},
		{"Jan  2 03:04:05 node-a app[1]: ", at},
		{"Dec 31 23:59:59 node-a app[1]: ", time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC)},
		{`192.0.2.1 - - [02/Jan/2024:03:04:05 +0000] `, at},
		{`{"level":50,"time":1704164645000,"msg":`, at},
		{`{"level":"error","ts":1704164645.25,"msg":`, at.Add(250 * time.Millisecond)},
		{`{"@t":"2024-01-02T03:04:05.0000000Z","@m":`, at},
		{`time="2024-01-02T03:04:05Z" level=error msg=`, at},
		{"01-02 03:04:05.250  4100  4120 W app: ", at.Add(250 * time.Millisecond)},
		{"no time at all ", time.Time{}},
	}
	for _, r := range rows {
		t.Run(r.line, func(t *testing.T) {
			var got time.Time
			_, err := explain.Log(t.Context(), strings.NewReader(r.line+"read ECONNRESET\n"), explain.LogOptions{Now: now, OnRecord: func(rec explain.LogRecord) { got = rec.Time }})
			if err != nil || !got.Equal(r.want) {
				t.Errorf("Log read the time %v, %v; want %v", got, err, r.want)
			}
		})
	}
}

var endlessText = strings.Repeat("connection x \x00\xff\x1b", 4<<10)

// endless is a line of n bytes without an end.
type endless struct{ n int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.n <= 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(int64(len(b)), e.n)], endlessText)
	e.n -= int64(n)
	return n, nil
}

func TestLogTakesLinesOfAnyLengthInBoundedMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	line := io.MultiReader(&endless{50 << 20}, strings.NewReader(" read ECONNRESET "), &endless{50 << 20})
	s, err := explain.Log(t.Context(), line, explain.LogOptions{Workers: 2})
	if err != nil || s.Records != 1 || s.Groups[0].Code != "ECONNRESET" {
		t.Fatalf("Log = %+v, %v; want one ECONNRESET", s.Groups, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
		t.Errorf("Log took %d MiB for a line of 100 MB, want at most 64", grown>>20)
	}
}

func TestLogEndsWithItsContextAndSaysWhatItRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := explain.Log(ctx, &endless{1 << 40}, explain.LogOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Log with a context that has ended: %v, want context.Canceled", err)
	}
	broken := io.MultiReader(strings.NewReader("read ECONNRESET\n"), errorReader{})
	s, err := explain.Log(t.Context(), broken, explain.LogOptions{})
	if !errors.Is(err, errBroken) || s.Records != 1 {
		t.Errorf("Log of a reader that breaks = %d records, %v; want 1 and its error", s.Records, err)
	}
}

var errBroken = errors.New("the disk is gone")

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errBroken }

func TestLogFollowsWithoutWaitingForMore(t *testing.T) {
	r, w := io.Pipe()
	found := make(chan string)
	done := make(chan error, 1)
	go func() {
		_, err := explain.Log(t.Context(), r, explain.LogOptions{Follow: true, OnRecord: func(rec explain.LogRecord) { found <- string(rec.Answer.Code) }})
		done <- err
	}()
	for _, line := range []string{"read ECONNRESET\n", "connect ECONNREFUSED 127.0.0.1:1\n"} {
		if _, err := io.WriteString(w, line); err != nil {
			t.Fatal(err)
		}
		if code := <-found; !strings.Contains(line, code) {
			t.Errorf("after %q came %s", line, code)
		}
	}
	w.Close()
	if err := <-done; err != nil {
		t.Errorf("Log: %v", err)
	}
}

func TestDecompressReadsPlainGzipAndZstd(t *testing.T) {
	const text = "connect ECONNREFUSED 127.0.0.1:1\n"
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	io.WriteString(g, text)
	g.Close()
	z, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, text)
	z.Close()
	for name, in := range map[string]string{"plain": text, "gzip": gz.String(), "zstd": zs.String(), "nothing": "", "two bytes": "ab"} {
		t.Run(name, func(t *testing.T) {
			r, err := explain.Decompress(strings.NewReader(in))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got, err := io.ReadAll(r)
			want := text
			if name == "nothing" || name == "two bytes" {
				want = in
			}
			if err != nil || string(got) != want {
				t.Errorf("Decompress(%s) reads %q, %v; want %q", name, got, err, want)
			}
		})
	}
}

func TestDecompressGivesUpOnABomb(t *testing.T) {
	var gz bytes.Buffer
	g := gzip.NewWriter(&gz)
	zeros := make([]byte, 1<<20)
	for range 128 {
		g.Write(zeros)
	}
	g.Close()
	r, err := explain.Decompress(&gz)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := explain.Log(t.Context(), r, explain.LogOptions{}); !errors.Is(err, explain.ErrExpands) {
		t.Errorf("a log that expands a thousand times: %v, want ErrExpands", err)
	}
}
