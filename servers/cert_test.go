package servers

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestCertificatesFailForTheReasonTheyAreMadeFor(t *testing.T) {
	past := time.Now().Add(-2 * time.Hour)
	for _, tc := range []struct {
		why  string
		make CertOptions
		want func(error) bool
	}{
		{"the zero options are good for 127.0.0.1", CertOptions{}, func(err error) bool { return err == nil }},
		{"one that is over is expired", CertOptions{NotBefore: past, NotAfter: past.Add(time.Hour)}, func(err error) bool {
			e, ok := errors.AsType[x509.CertificateInvalidError](err)
			return ok && e.Reason == x509.Expired
		}},
		{"one for another host does not fit", CertOptions{Hosts: []string{"other.invalid"}}, func(err error) bool {
			_, ok := errors.AsType[x509.HostnameError](err)
			return ok
		}},
		{"one that vouches for itself comes from nobody we know", CertOptions{SelfSigned: true}, func(err error) bool {
			_, ok := errors.AsType[x509.UnknownAuthorityError](err)
			return ok
		}},
	} {
		a, err := NewAuthority()
		if err != nil {
			t.Fatal(err)
		}
		cert, err := a.Issue(tc.make)
		if err != nil {
			t.Fatal(err)
		}
		srv := Must[*Server](t)(NewStatus(Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}, 200, nil))
		tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.Pool()}}
		r, err := (&http.Client{Transport: tr}).Get(srv.URL())
		if err == nil {
			r.Body.Close()
		}
		tr.CloseIdleConnections()
		if !tc.want(err) {
			t.Errorf("%s: got %v", tc.why, err)
		}
	}
}

func TestTheAuthoritysPEMIsItsPool(t *testing.T) {
	a, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(a.PEM()) || !pool.Equal(a.Pool()) {
		block, _ := pem.Decode(a.PEM())
		t.Errorf("PEM %+v is not the pool", block)
	}
}
