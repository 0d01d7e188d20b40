package explain

// haproxyRow is one pair of HAProxy's termination state, which names who ended
// the session and when.
type haproxyRow struct {
	flags string
	entry Entry
}

var haproxyRows = [...]haproxyRow{
	{"sC", Entry{Code: "TIMEOUT", Phase: "connect", Why: "timeout connect: no connection to the server; nothing was sent"}},
	{"SC", Entry{Code: "ECONNREFUSED", Syscall: "connect", Phase: "connect", Why: "the server refused the connection, or there is none; nothing was sent"}},
	{"sH", Entry{Code: "TIMEOUT", Phase: "await", Why: "timeout server while waiting for response headers: the request was delivered, the 504 is the balancer's"}},
	{"SH", Entry{Code: "EOF", Phase: "await", Why: "the server aborted before its headers were complete; it may have acted"}},
	{"sD", Entry{Code: "TIMEOUT", Phase: "read-body", Why: "timeout server while the answer was relayed: the work is done"}},
	{"SD", Entry{Code: "TRUNCATED", Phase: "read-body", Why: "the server broke the answer off after its headers: the work is done"}},
	{"sQ", Entry{Code: "POOL_TIMEOUT", Phase: "pool", Why: "timeout queue: no server slot was free; the request was not forwarded"}},
	{"SQ", Entry{Code: "POOL_TIMEOUT", Phase: "pool", Why: "no server slot was free; the request was not forwarded"}},
	{"PH", Entry{Code: "MALFORMED", Phase: "read-head", Processed: "yes", Why: "the balancer refused the server's answer as invalid: the server had answered"}},
	{"RC", Entry{Code: "EMFILE", Phase: "connect", Why: "the balancer had no socket or port left; nothing was sent"}},
	{"PR", Entry{Code: "HTTP_403", Why: "the balancer refused the request by rule; it was not forwarded"}},
	{"PT", Entry{Code: "HTTP_403", Why: "the balancer tarpitted the request by rule; it was not forwarded"}},
	{"CR", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "unknown", Processed: "never", Why: "the caller left before its request was complete; it was not forwarded"}},
	{"cR", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "unknown", Processed: "never", Why: "the caller did not send its request in time; it was not forwarded"}},
	{"CQ", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "pool", Processed: "never", Why: "the caller left while the request was queued"}},
	{"CC", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "connect", Processed: "never", Why: "the caller left before a server was connected to"}},
	{"CH", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "await", Processed: "maybe", Why: "the caller left while the server was working on its request"}},
	{"cH", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "await", Processed: "maybe", Why: "the caller was late with its request's body"}},
	{"CD", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "read-body", Processed: "yes", Why: "the caller left while the answer was relayed"}},
	{"cD", Entry{Role: Foreign, Code: "NOT_CLIENT_SIDE", Phase: "read-body", Processed: "yes", Why: "the caller stopped taking the answer"}},
}

func haproxyTable() Table {
	t := Table{Runtime: "haproxy", Title: "HAProxy log lines", SaidBy: ByGateway,
		Retries: "HAProxy tries to connect again up to three times (retries) and, with option redispatch, to another server; a sent request only with retry-on"}
	for _, r := range haproxyRows {
		e := r.entry
		id := r.flags
		e.ID, e.Source, e.Example = "haproxy/"+id, "HAProxy configuration manual 8.5", "0/0/3/-1/300004 504 198 - - "+id+"-- 57/57/11/0/0 0/0"
		e.Match = []string{" " + id + "-- | " + id + "NN | " + id + "VN | " + id + "NI | " + id + "VR | " + id + "NR | " + id + "DI | " + id + "DN | " + id + "IN |\"" + id + "--\""}
		e.Rank = rankStatus
		if e.Role == Foreign {
			e.Rank = rankForeign
		}
		t.Entries = append(t.Entries, e)
		tcp := e
		tcp.ID, tcp.Quiet, tcp.Match = e.ID+"-tcp", true, []string{" " + id + " ", "haproxy"}
		tcp.Example = "haproxy[1]: fe be/srv 0/-1/3000 0 " + id + " 1/1/0/0/3 0/0"
		t.Entries = append(t.Entries, tcp)
	}
	return t
}
