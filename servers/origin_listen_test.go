package servers

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"testing"
)

func TestASecondListenerServesTheSameCalls(t *testing.T) {
	authority, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	cert, err := authority.Issue(CertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := NewOrigin(t)
	over, err := o.Listen(Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	if err != nil {
		t.Fatal(err)
	}
	call := o.Call("503", "418", "200")
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authority.Pool()}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	for i, url := range []string{o.URL(), over.URL(), o.URL()} {
		a := request(t, &http.Client{Transport: tr}, "POST", url+"/c/"+call.ID()+"/", "x")
		if want := []int{503, 418, 200}[i]; a.status != want {
			t.Errorf("%s: %+v, want %d", url, a, want)
		}
	}
	r := call.Record()
	if r.Deliveries != 3 || r.Ledger[0].Proto != "HTTP/1.1" || r.Ledger[1].Proto != "HTTP/2.0" {
		t.Errorf("record %+v", r)
	}
	if n := o.Stats().Connections; n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", over.Addr()); err == nil {
		c.Close()
		t.Error("the second listener is still there")
	}
	if _, err := o.Listen(Options{}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a listener of a closed origin: %v", err)
	}
}

func TestAListenerBeyondLoopbackIsRefused(t *testing.T) {
	if _, err := NewOrigin(t).Listen(Options{Addr: "0.0.0.0:0"}); err == nil {
		t.Error("no error")
	}
	if _, err := NewRefusedAt(Options{Addr: "0.0.0.0:0"}); err == nil {
		t.Error("no error")
	}
}

func TestAStandingCallBeginsAnew(t *testing.T) {
	o := NewOrigin(t)
	call, ok := o.Lookup("503")
	if !ok {
		t.Fatal("no standing call of 503")
	}
	request(t, client(t), "GET", o.URL()+"/503", "")
	if n := call.Record().Deliveries; n != 1 {
		t.Errorf("%d deliveries, want 1", n)
	}
	if !o.Delete("503") {
		t.Error("not deleted")
	}
	if again, _ := o.Lookup("503"); again == call || again.Record().Deliveries != 0 {
		t.Error("the same call")
	}
	if _, ok := o.Lookup("nope"); ok {
		t.Error("a standing call of no fault")
	}
}

func TestAnIDIsTakenOnce(t *testing.T) {
	o := NewOrigin(t)
	o.Script(Script{ID: "a", Steps: []Step{{Fault: "200"}}})
	for _, id := range []string{"a", "reset", "503"} {
		_, err := o.Create(Script{ID: id, Steps: []Step{{Fault: "200"}}})
		bad, ok := errors.AsType[*ScriptError](err)
		if !errors.Is(err, ErrTaken) || !ok || bad.Field != "id" {
			t.Errorf("%s: %v", id, err)
		}
	}
}
