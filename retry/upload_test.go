package retry_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/retry"
)

// A file is read again, not kept: sending it twice takes no more memory than
// sending it once.
func TestALongUploadIsSentTwiceWithoutBeingKept(t *testing.T) {
	size := int64(256 << 20)
	if testing.Short() {
		size = 24 << 20
	}
	name := filepath.Join(t.TempDir(), "upload")
	want := writeFile(t, name, size)

	var sums []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		if n, err := io.Copy(h, r.Body); err != nil || n != size {
			t.Errorf("%d bytes, %v", n, err)
		}
		sums = append(sums, hex.EncodeToString(h.Sum(nil)))
		if len(sums) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "PUT", srv.URL, f)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = size
	peak := watchHeap(t)
	resp, err := transport(t, quick(), nil).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	read(t, resp)
	extra := peak()
	if len(sums) != 2 || sums[0] != want || sums[1] != want || resp.StatusCode != 200 {
		t.Errorf("%s, sums %v; want twice %s", resp.Status, sums, want)
	}
	if extra >= 8<<20 {
		t.Errorf("%d KiB of memory above what there was", extra>>10)
	}
	t.Logf("%d MiB twice, with %d KiB above what there was; %d attempts", size>>20, extra>>10, len(retry.Attempts(resp)))
}

// writeFile makes a file of size, of bytes that do not repeat soon, and
// returns its sum.
func writeFile(t *testing.T, name string, size int64) string {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	block := make([]byte, 1<<16)
	for at := int64(0); at < size; at += int64(len(block)) {
		for i := range block {
			block[i] = byte((at>>16)*31 + int64(i)*7 + int64(i)>>8)
		}
		if _, err := io.MultiWriter(f, h).Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// watchHeap looks at the heap until it is asked for the most that it saw above
// the beginning.
func watchHeap(t *testing.T) (peak func() uint64) {
	t.Helper()
	runtime.GC()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	begin := heap()
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most.Store(max(most.Load(), heap()))
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		return max(most.Load(), heap(), begin) - begin
	}
}
