package servers

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// A bare net/http server and a bare loop of resets are what the servers are
// measured against: go test ./servers -run '^$' -bench .

const benchRequest = "POST /pay HTTP/1.1\r\nHost: lab\r\nContent-Length: 8\r\n\r\n12 euros"

// requests sends b.N requests over kept connections, two a processor.
func requests(b *testing.B, addr string) {
	b.SetParallelism(2)
	b.RunParallel(func(pb *testing.PB) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Error(err)
			return
		}
		defer c.Close()
		br := bufio.NewReader(c)
		for pb.Next() {
			if _, err := io.WriteString(c, benchRequest); err != nil {
				b.Error(err)
				return
			}
			r, err := http.ReadResponse(br, nil)
			if err != nil {
				b.Error(err)
				return
			}
			io.Copy(io.Discard, r.Body)
		}
	})
}

func BenchmarkStatus(b *testing.B) {
	srv, err := NewStatus(Options{MaxEntries: max(1, b.N)}, 503, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	requests(b, srv.Addr())
}

func BenchmarkBareNetHTTP(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(503)
	}))
	defer srv.Close()
	requests(b, srv.Listener.Addr().String())
}

// resets sends b.N requests, each on a connection that ends in a reset.
func resets(b *testing.B, addr, request string) {
	b.SetParallelism(2)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			io.WriteString(c, request)
			if _, err := c.Read(make([]byte, 1)); err == nil {
				b.Error("no reset")
			}
			c.Close()
		}
	})
}

func BenchmarkReset(b *testing.B) {
	srv, err := NewReset(Options{MaxEntries: max(1, b.N)})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	resets(b, srv.Addr(), benchRequest)
}

func BenchmarkBareReset(b *testing.B) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed
			}
			go func() {
				c.Read(make([]byte, 4096))
				c.(*net.TCPConn).SetLinger(0)
				c.Close()
			}()
		}
	}()
	resets(b, ln.Addr().String(), benchRequest)
	ln.Close()
	<-done
}

// idleConns opens connections that say nothing and reports what each costs the
// server's process, the client's half of it included.
func idleConns(b *testing.B, addr string) {
	const conns = 2000
	memory := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	before := memory()
	clients := make([]net.Conn, conns)
	for i := range clients {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		clients[i] = c
		if _, err := io.WriteString(c, benchRequest); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 512)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(memory()-before)/conns, "B/conn")
}

func BenchmarkIdleStatus(b *testing.B) {
	srv, err := NewStatus(Options{}, 503, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	idleConns(b, srv.Addr())
}

func BenchmarkIdleBareNetHTTP(b *testing.B) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(503)
	}))
	defer srv.Close()
	idleConns(b, srv.Listener.Addr().String())
}

// BenchmarkOriginDelivery is one delivery with its entry in a call's ledger, over
// a kept connection. The client allocates nothing, so that every allocation is
// the Origin's.
func BenchmarkOriginDelivery(b *testing.B) {
	for _, bench := range []struct{ name, request string }{
		{"GET", "GET /200 HTTP/1.1\r\nHost: lab\r\n\r\n"},
		{"POST", "POST /200 HTTP/1.1\r\nHost: lab\r\nContent-Length: 8\r\n\r\n12 euros"},
		{"attempt", "POST /503 HTTP/1.1\r\nHost: lab\r\nRetry-Lab-Attempt: 1\r\nIdempotency-Key: k\r\nContent-Length: 8\r\n\r\n12 euros"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			o, err := OpenOrigin(OriginOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer o.Close()
			c, err := net.Dial("tcp", o.Addr())
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			request, answer := []byte(bench.request), make([]byte, 1024)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(request); err != nil {
					b.Fatal(err)
				}
				for n := 0; !bytes.HasSuffix(answer[:n], []byte("}\n")); {
					more, err := c.Read(answer[n:])
					if err != nil {
						b.Fatal(err)
					}
					n += more
				}
			}
		})
	}
}

func BenchmarkOriginReset(b *testing.B) {
	o, err := OpenOrigin(OriginOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer o.Close()
	call, err := o.Create(Script{Steps: []Step{{Fault: "reset"}}})
	if err != nil {
		b.Fatal(err)
	}
	request := "POST /c/" + call.ID() + "/pay HTTP/1.1\r\nHost: lab\r\nContent-Length: 8\r\n\r\n12 euros"
	resets(b, o.Addr(), request)
}
