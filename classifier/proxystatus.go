package classifier

import "strings"

// proxyStatus is what a Proxy-Status field (RFC 9209) says about whether the
// origin was reached. All false: it names no error, or there is none.
type proxyStatus struct {
	never bool // every error named is one before the request was forwarded
	maybe bool // one of them may come after that
	// permanent: the error nearest the origin will not pass.
	permanent bool
}

// readProxyStatus reads the members, the one nearest the origin first (RFC
// 9209 section 2). A malformed field is ignored. The result is a claim: a
// proxy that itself tries again reports its last error only.
func readProxyStatus(lines []string) proxyStatus {
	var s proxyStatus
	for _, line := range lines {
		if len(line) > maxField {
			return proxyStatus{}
		}
		list := fieldList{strings.Trim(line, " \t")}
		for more := list.rest != ""; more; {
			err, ok := proxyError(&list)
			if !ok {
				return proxyStatus{}
			}
			s.add(err)
			if more, ok = list.comma(); !ok {
				return proxyStatus{}
			}
		}
	}
	if s.maybe {
		s.never = false
	}
	return s
}

// proxyError reads one member and returns its error parameter, if it has one.
func proxyError(list *fieldList) (name string, ok bool) {
	if _, ok = list.item(); !ok {
		return "", false
	}
	for {
		p, more, ok := list.param()
		if !ok || !more {
			return name, ok
		}
		if p.key == "error" {
			name = p.value
		}
	}
}

// add takes in the error of one more proxy.
func (s *proxyStatus) add(name string) {
	if name == "" {
		return
	}
	first := !s.never && !s.maybe
	switch name {
	case "destination_not_found", "destination_ip_prohibited", "tls_certificate_error",
		"http_request_denied":
		s.never = true
		s.permanent = s.permanent || first
	case "dns_timeout", "dns_error", "destination_unavailable", "destination_ip_unroutable",
		"connection_refused", "connection_timeout", "connection_limit_reached",
		"proxy_internal_response", "proxy_loop_detected":
		s.never = true
	default:
		s.maybe = true
	}
}
