package servers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// An Authority issues the certificates of TLS servers on loopback. It is made
// at run time and lives in memory only, so nothing has to trust it by accident
// and nothing of it expires in a repository.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// CertOptions make a certificate. The zero value is good for 127.0.0.1, ::1
// and localhost, from an hour ago until tomorrow.
type CertOptions struct {
	// Hosts and IPs are what the certificate is good for. If both are empty,
	// it is good for this machine.
	Hosts []string
	IPs   []net.IP

	// NotBefore and NotAfter bound its time. Zero: an hour ago, in a day.
	NotBefore, NotAfter time.Time

	// SelfSigned: the certificate vouches for itself, so that who trusts the
	// authority does not trust it.
	SelfSigned bool

	// Client: it names a client (RFC 5280 section 4.2.1.12), no server.
	Client bool
}

// AuthorityName is the common name of every Authority.
const AuthorityName = "retry-lab authority"

// NewAuthority makes an ECDSA P-256 authority with a key of its own.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("authority key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: AuthorityName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	return &Authority{cert: cert, key: key}, nil
}

// Issue makes a certificate with a key of its own. The leaf alone is sent in
// the handshake: the authority is what the client knows already.
func (a *Authority) Issue(o CertOptions) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate key: %w", err)
	}
	template, err := o.template()
	if err != nil {
		return tls.Certificate{}, err
	}
	parent, signer := a.cert, a.key
	if o.SelfSigned {
		parent, signer = template, key
	}
	leaf, err := sign(template, parent, key, signer)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// template is what the options ask for, unsigned.
func (o CertOptions) template() (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("certificate serial: %w", err)
	}
	if len(o.Hosts) == 0 && len(o.IPs) == 0 {
		o.Hosts = []string{"localhost"}
		o.IPs = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	if o.NotBefore.IsZero() {
		o.NotBefore = time.Now().Add(-time.Hour)
	}
	if o.NotAfter.IsZero() {
		o.NotAfter = time.Now().Add(24 * time.Hour)
	}
	usage := x509.ExtKeyUsageServerAuth
	if o.Client {
		usage = x509.ExtKeyUsageClientAuth
	}
	return &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(2)), Subject: pkix.Name{CommonName: "retry-lab"},
		NotBefore: o.NotBefore, NotAfter: o.NotAfter,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{usage},
		DNSNames: o.Hosts, IPAddresses: o.IPs, BasicConstraintsValid: true,
	}, nil
}

func sign(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, fmt.Errorf("sign certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("parse certificate: %w", err)
	}
	return cert, nil
}

// Pool is what a client must trust to trust the authority's certificates.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// PEM is the authority's certificate, for clients that read a file.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}
