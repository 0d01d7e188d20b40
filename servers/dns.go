package servers

import (
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

// dnsResponse is a response's bytes. A truncated one has no records: it says that
// the client should ask again over TCP.
func dnsResponse(h dnsmessage.Header, q dnsmessage.Question, to NameAnswer, truncated bool) ([]byte, error) {
	m := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: h.ID, Response: true, OpCode: h.OpCode, Truncated: truncated,
			RecursionDesired: h.RecursionDesired, RecursionAvailable: true,
		},
		Questions: []dnsmessage.Question{q},
	}
	if truncated {
		return m.Pack()
	}
	if len(to.Addrs) == 0 {
		m.RCode = to.Outcome.rcode()
	}
	for _, a := range to.Addrs {
		if body := record(a.Unmap(), q.Type); body != nil {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}, Body: body,
			})
		}
	}
	if len(m.Answers) == 0 && (m.RCode == dnsmessage.RCodeNameError || m.RCode == dnsmessage.RCodeSuccess) {
		m.Authorities = []dnsmessage.Resource{soa()}
	}
	return m.Pack()
}

// record is the address as a record of the type asked for; nil if it is none.
func record(a netip.Addr, t dnsmessage.Type) dnsmessage.ResourceBody {
	switch {
	case a.Is4() && t == dnsmessage.TypeA:
		return &dnsmessage.AResource{A: a.As4()}
	case a.Is6() && t == dnsmessage.TypeAAAA:
		return &dnsmessage.AAAAResource{AAAA: a.As16()}
	}
	return nil
}

// rcode is the outcome's code in the header.
func (o Outcome) rcode() dnsmessage.RCode {
	switch o {
	case NODATA:
		return dnsmessage.RCodeSuccess
	case SERVFAIL:
		return dnsmessage.RCodeServerFailure
	case REFUSED:
		return dnsmessage.RCodeRefused
	}
	return dnsmessage.RCodeNameError
}

// soa makes a negative answer one that may be kept, for a second (RFC 2308
// section 3). The lab's resolver is the root.
func soa() dnsmessage.Resource {
	return dnsmessage.Resource{
		Header: dnsmessage.ResourceHeader{
			Name: dnsmessage.MustNewName("."), Class: dnsmessage.ClassINET, TTL: 1,
		},
		Body: &dnsmessage.SOAResource{
			NS: dnsmessage.MustNewName("."), MBox: dnsmessage.MustNewName("."),
			Serial: 1, Refresh: 1, Retry: 1, Expire: 1, MinTTL: 1,
		},
	}
}
