package explain

// tlsTable is what TLS libraries say, whoever calls them.
var tlsTable = Table{Title: "TLS: OpenSSL, GnuTLS, Schannel, BoringSSL", SaidBy: ByClient, Entries: []Entry{
	{ID: "tls/certificate",
		Match: []string{"certificate verify failed|CERTIFICATE_VERIFY_FAILED|certificate verification failed|ssl certificate problem|" +
			"server certificate verification failed|certificate has expired|certificate is not trusted|is not trusted.|doesn't have a known issuer|self signed certificate|" +
			"self-signed certificate|unable to get local issuer certificate|unable to get issuer certificate|" +
			"unable to verify the first certificate|certificate is not yet valid|certificate expired|certificate is not valid|" +
			"invalid peer certificate|UnknownIssuer|certificate not valid for name|CertificateUnknown|cannot verify*|" +
			"certificate signed by unknown authority|remote certificate is invalid|peer's certificate issuer|bad certificate domain|" +
			"certificate common name|issuer is not trusted"},
		Code: "TLS_CERT", Usually: "tls", Source: "openssl verify(1), RFC 5280 section 6",
		Why:     "the certificate of the peer was refused here, before anything was sent; the same every time",
		Example: "SSL: certificate verify failed"},
	{ID: "tls/certificate-name",
		Match: []string{"no alternative certificate subject name matches|hostname mismatch|certificate is valid for|does not match target host name|" +
			"doesn't match any of the subject alternative names|altnames|does not match the certificate subject|no subject alternative|" +
			"certificate subject name|name mismatch|host name verification|hostname verification failed|hostname could not be verified|" +
			"CERT_COMMON_NAME_INVALID|RemoteCertificateNameMismatch"},
		Code: "TLS_CERT", Usually: "tls", Source: "RFC 9110 section 4.3.4",
		Why:     "the certificate is for another name; nothing was sent, and the same every time",
		Example: "SSL: no alternative certificate subject name matches target host name 'host.example'"},
	{ID: "tls/wrong-version",
		Match: []string{"wrong version number|*WRONG_VERSION_NUMBER|packet length too long|an unexpected tls packet was received|unknown protocol|" +
			"http request was sent to https|InvalidContentType|received corrupt message of type invalidcontenttype|corrupt message"},
		Code: "NOT_TLS", Usually: "tls", Source: "openssl ssl3_get_record, rustls InvalidMessage",
		Why:     "what came back in the handshake is no TLS record: the port speaks plain text, or a proxy does; nothing was sent, and the same every time",
		Example: "error:1408F10B:SSL routines:ssl3_get_record:wrong version number"},
	{ID: "tls/alert",
		Match: []string{"alert handshake failure|alert protocol version|alert unrecognized name|alert internal error|alert unknown ca|alert bad certificate|" +
			"alert certificate expired|alert certificate required|alert certificate unknown|alert access denied|alert illegal parameter|" +
			"alert insufficient security|alert no application protocol|alert decrypt error|*TLSV1_ALERT*|*SSLV3_ALERT*|*TLSV13_ALERT*|" +
			"*TLSV1_UNRECOGNIZED*|received fatal alert|fatal alert|handshakefailure|handshake_failure|a tls fatal alert has been received|" +
			"alert number*|AlertReceived"},
		Code: "TLS_ALERT", Usually: "tls", Source: "RFC 8446 section 6.2",
		Why:     "the peer refused the handshake with an alert; nothing of the request was acted on, and the same every time",
		Example: "sslv3 alert handshake failure"},
	{ID: "tls/alert-word",
		Match: []string{"tls alert", "!tls alert, close notify|close_notify"},
		Code:  "TLS_ALERT", Usually: "tls", Source: "RFC 8446 section 6.2",
		Why:     "the peer refused the handshake with an alert; nothing of the request was acted on, and the same every time",
		Example: "TLSv1.3 (IN), TLS alert, handshake failure (552):"},
	{ID: "tls/alert-after", Rank: rankCause + 1,
		Match: []string{"tlsv13 alert certificate required|TLSV13_ALERT_CERTIFICATE_REQUIRED|alert number 116|tls: certificate required"},
		Code:  "TLS_ALERT", Phase: "await", Processed: "never", Source: "RFC 8446 section 4.4.2.4",
		Why:     "TLS 1.3 refuses a client without a certificate after the handshake is over for the client: it looks like a wait for the answer, and was never processed",
		Example: "tlsv13 alert certificate required"},
	{ID: "tls/unsupported",
		Match: []string{"unsupported protocol|*UNSUPPORTED_PROTOCOL|no protocols available|unsafe legacy renegotiation|UNSAFE_LEGACY_RENEGOTIATION*|" +
			"dh key too small|DH_KEY_TOO_SMALL|no ciphers available|no cipher match|bad ecpoint|ee key too small|ca md too weak|" +
			"no appropriate protocol|no shared cipher|could not create ssl/tls secure channel|secure channel support|SEC_E_*|" +
			"sec_e_unsupported_function|no application protocol"},
		Code: "TLS_ALERT", Usually: "tls", Source: "openssl, Schannel",
		Why:     "the two sides have no version, cipher or key in common; nothing was sent, and the same every time",
		Example: "SSL routines:tls_process_ske_dhe:dh key too small"},
	{ID: "tls/certificate-schannel", Rank: rankCause + 1,
		Match: []string{"SEC_E_UNTRUSTED_ROOT|SEC_E_CERT_EXPIRED|SEC_E_WRONG_PRINCIPAL|CERT_E_*|CRYPT_E_*|CERT_TRUST_*"},
		Code:  "TLS_CERT", Usually: "tls", Source: "Schannel error codes",
		Why:     "the certificate was refused here",
		Example: "schannel: SEC_E_UNTRUSTED_ROOT (0x80090325)"},
	{ID: "tls/eof-handshake", Rank: rankCause,
		Match: []string{"SSL_connect: SSL_ERROR_SYSCALL|SSL_connect SYSCALL|SSL_ERROR_SYSCALL in connection|SSL_connect returned=5|" +
			"failed to receive handshake|remote host closed connection during handshake|" +
			"remote host terminated the handshake|before secure tls connection was established|closed connection during handshake|" +
			"tls handshake eof|ssl connection is closed|unexpected eof during handshake|bad handshake: SysCallError(-1|" +
			"received close_notify during handshake|Connection reset during TLS handshake"},
		Code: "TLS_EOF", Phase: "tls", Source: "openssl SSL_get_error(3)",
		Why:     "the peer closed inside the handshake; no byte of the request left",
		Example: "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to host.example:443"},
	{ID: "tls/eof",
		Match: []string{"EOF occurred in violation of protocol|unexpected eof while reading|SSLEOFError|SSL_ERROR_EOF|UNEXPECTED_EOF_WHILE_READING|" +
			"tls packet with unexpected length was received|non-properly terminated"},
		Code: "EOF", Usually: "unknown", Source: "openssl, CPython Modules/_ssl.c",
		Why:  "the peer closed without a TLS close_notify; the same words come from a handshake and from an established connection",
		Open: "whether the handshake was over", Settle: "the frame: do_handshake, read or write",
		Example: "EOF occurred in violation of protocol"},
	{ID: "tls/timeout", Rank: rankCause + 1,
		Match: []string{"handshake timed out|handshake timeout|handshake operation timed out|ssl connection timeout|handshake did not complete|" +
			"TLS handshake timeout|secureconnect timeout"},
		Code: "TLS_TIMEOUT", Usually: "tls", Source: "the client's own handshake timer",
		Why:     "the handshake was not finished in time; no byte of the request left",
		Example: "SSL connection timeout"},
	{ID: "tls/alert-read", Rank: rankCause + 3,
		Match: []string{"internal_error|unexpected_message|user_canceled|decode_error|illegal_parameter|alert internal error|alert unexpected message|" +
			"alert user cancelled|alert decode error|alert illegal parameter|*ALERT_INTERNAL_ERROR|*ALERT_UNEXPECTED_MESSAGE|*ALERT_USER_CANCELLED",
			"AppInputStream|SSLSocketInputRecord.decodeInputRecord|SSL_read|SSL_read:|_ssl.c:2*", "!readHandshakeRecord|startHandshake|SSL_connect|do_handshake"},
		Code: "TLS_ALERT", Phase: "await", Processed: "maybe", Like: "ECONNRESET", Source: "RFC 8446 section 6.2",
		Why:     "an alert while the answer was read, and not one by which a server refuses a handshake: the request may have been processed",
		Example: "OpenSSL SSL_read: error:0A000438:SSL routines::tlsv1 alert internal error, errno 0"},
	{ID: "tls/record", Rank: rankCause + 2,
		Match: []string{"bad record mac|BAD_RECORD_MAC|*ALERT_BAD_RECORD_MAC|bad_record_mac|DECRYPTION_FAILED_OR_BAD_RECORD_MAC|record layer failure|decryption failed or bad record mac"},
		Code:  "TLS_ALERT", Usually: "unknown", Source: "RFC 8446 section 5.2",
		Why:     "a record could not be decrypted, usually on an established connection: two threads or processes share it, or the path changes bytes",
		Example: "local error: tls: bad record MAC"},
	{ID: "tls/failed", Role: Wrapper, Rank: rankName,
		Match: []string{"ssl connection could not be established|ssl connect error|SSL_connect|ssl handshake failed|tls handshake failed|" +
			"error in the ssl handshake|SSL_ERROR_SSL|tls connect error|SSL_do_handshake() failed|ssl peer handshake failed|" +
			"could not establish ssl*|unable to establish ssl connection|handshake failed"},
		Code: "TLS_ALERT", Phase: "tls", Source: "openssl",
		Why:  "the handshake failed, so nothing was sent",
		Open: "why the handshake failed", Settle: "the TLS library's own error",
		Example: "SSL connect error"},
}}
