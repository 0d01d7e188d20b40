package explain

import (
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// errnoRow is one errno: its numbers on Linux, on macOS and in Winsock (0
// where there is none), what strerror and others call it, and the phase where
// a text that names it names no call.
type errnoRow struct {
	name                   classifier.Code
	linux, darwin, winsock int
	texts                  string
	usually                classifier.Phase
	source                 string
}

var errnoRows = [...]errnoRow{
	{"ECONNREFUSED", 111, 61, 10061, "connection refused|actively refused|connection was refused|refused the connection", "connect", "connect(2)"},
	{"ECONNRESET", 104, 54, 10054, "connection reset by peer|connection reset|connection was reset|forcibly closed by the remote host|forcibly closed by the remote", "", "tcp(7)"},
	{"EPIPE", 32, 32, 0, "broken pipe", "write", "send(2)"},
	{"ETIMEDOUT", 110, 60, 10060, "connection timed out|connect: operation timed out|read: operation timed out|Operation timed out - |recv failure: operation timed out|send failure: operation timed out|SocketException: Operation timed out|connected party did not properly respond after a period of time", "", "tcp(7)"},
	{"EHOSTUNREACH", 113, 65, 10065, "no route to host|host is unreachable|attempted to an unreachable host|host unreachable", "connect", "ip(7)"},
	{"ENETUNREACH", 101, 51, 10051, "network is unreachable|attempted to an unreachable network|network unreachable|network is not reachable", "connect", "connect(2)"},
	{"EADDRNOTAVAIL", 99, 49, 10049, "cannot assign requested address|can't assign requested address|requested address is not valid in its context", "connect", "connect(2)"},
	{"EMFILE", 24, 24, 10024, "too many open files|too many open sockets", "connect", "socket(2)"},
	{"ENFILE", 23, 0, 0, "too many open files in system|file table overflow", "connect", "socket(2)"},
	{"ENOBUFS", 105, 55, 10055, "no buffer space available|system lacked sufficient buffer space", "connect", "socket(2)"},
	{"ECONNABORTED", 103, 53, 10053, "software caused connection abort|connection was aborted by the software|connection aborted by the software", "", "errno(3)"},
	{"ENETDOWN", 100, 50, 10050, "network is down|encountered a dead network", "connect", "errno(3)"},
	{"ENETRESET", 102, 52, 10052, "network dropped connection on reset", "", "errno(3)"},
	{"EHOSTDOWN", 112, 64, 10064, "host is down|destination host was down", "connect", "errno(3)"},
	{"ENOTCONN", 107, 57, 10057, "endpoint is not connected|socket is not connected", "write", "errno(3)"},
	{"ESHUTDOWN", 108, 58, 10058, "cannot send after transport endpoint shutdown|cannot send after socket shutdown", "write", "errno(3)"},
	{"EACCES", 0, 0, 10013, "connect: permission denied|connect failed: permission denied|access a socket in a way forbidden", "connect", "connect(2)"},
	{"EPERM", 0, 0, 0, "connect: operation not permitted|connect failed: operation not permitted", "connect", "connect(2)"},
	{"EINVAL", 0, 0, 0, "connect: invalid argument", "connect", "connect(2)"},
	{"ENOENT", 0, 0, 0, "connect: no such file or directory", "connect", "unix(7)"},
	{"EADDRINUSE", 0, 0, 0, "connect: address already in use|connect failed: address already in use", "connect", "bind(2)"},
	{"EAGAIN", 0, 0, 0, "connect: resource temporarily unavailable|connect() to unix:*", "connect", "connect(2)"},
}

// noisy errnos are often those of a second address family, beside the one
// that counts.
const noisy = " ENETUNREACH EADDRNOTAVAIL "

func (row *errnoRow) entries() []Entry {
	name, id := string(row.name), strings.ToLower(string(row.name))
	cause, number := rankCause, Rank(26)
	if strings.Contains(noisy, " "+name+" ") {
		cause, number = rankNoise, rankTimer
	}
	base := Entry{Code: row.name, Usually: row.usually, Source: row.source}
	if row.name == "EPIPE" { // of a write, always
		base.Syscall = classifier.Write
	}
	text, call, bare := base, base, base
	text.ID, text.Rank, text.Match = "errno/"+id+"-text", cause, []string{row.texts}
	text.Example = "error: " + strings.Trim(strings.Split(row.texts, "|")[0], "*")
	call.ID, call.Rank, call.Match = "errno/"+id+"-call", cause, []string{strings.Join([]string{
		"connect " + name, "read " + name, "write " + name, "failed: " + name, "Errno::" + name, "recv: " + name, "send: " + name,
	}, "|")}
	call.Example = "write " + name
	bare.ID, bare.Rank, bare.Match = "errno/"+id, rankName, []string{name + "|WSA" + name + "|e_" + id[1:] + "|:" + id}
	bare.Quiet = name == "EAGAIN" || name == "EINVAL" || name == "ENOENT" || name == "EPERM" || name == "EACCES"
	bare.Example = "code: '" + name + "'"
	list := []Entry{text, call, bare}
	if numbers := row.numbers(); numbers != "" {
		n := base
		n.ID, n.Rank, n.Match = "errno/"+id+"-number", number, []string{numbers}
		n.Example = "failed with " + strings.Split(numbers, "|")[0]
		list = append(list, n)
	}
	if row.linux > 99 {
		b := base
		b.ID, b.Rank, b.Quiet, b.Match = "errno/"+id+"-brackets", rankNumber+1, true, []string{"(" + strconv.Itoa(row.linux) + ")"}
		b.Example = "failed (" + strconv.Itoa(row.linux) + ")"
		list = append(list, b)
	}
	if row.winsock != 0 {
		w := base
		w.ID, w.Rank, w.Quiet, w.Reads, w.Match = "errno/"+id+"-winsock", rankNumber, true, errorNumber, []string{strconv.Itoa(row.winsock)}
		w.Source, w.Example = "Windows Sockets Error Codes", strconv.Itoa(row.winsock)
		list = append(list, w)
	}
	return list
}

// numbers are the spellings in which a number can only be an errno.
func (row *errnoRow) numbers() string {
	var all []string
	for _, n := range [...]int{row.linux, row.darwin} {
		if n == 0 || len(all) > 0 && n == row.linux && n != row.darwin {
			continue
		}
		d := strconv.Itoa(n)
		all = append(all, "[Errno "+d+"]", "os error "+d, "errno: -"+d, "errno = "+d, "errno="+d, "errno "+d, "failed ("+d+":")
		if n > 99 {
			all = append(all, "SocketException ("+d+")", "error("+d+",", "system error: "+d)
		}
	}
	if row.winsock != 0 {
		w := strconv.Itoa(row.winsock)
		all = append(all, "WinError "+w, "errno "+w, "errno: "+w, "errno="+w, "Errno "+w, "SocketException ("+w+")", "Winsock error "+w, "socket error "+w, "error "+w, "os error "+w, "code: "+w, "WSAError "+w)
	}
	return strings.Join(all, "|")
}

// resolverRow is what a resolver answers.
var resolverEntries = []Entry{
	{ID: "dns/not-found",
		Match: []string{"name or service not known|nodename nor servname provided|nodename nor*|no address associated with|no such host is known|name does not resolve|" +
			"non-existent domain|nxdomain|requested name is valid, but no data|hostname could not be found|host not found|unknown host|" +
			"domain name not found|dns server returned answer with no data"},
		Code: "ENOTFOUND", Syscall: "getaddrinfo", Phase: "resolve", Source: "getaddrinfo(3): EAI_NONAME, EAI_NODATA",
		Why:     "the resolver says that the name does not exist or has no address; nothing was sent, and the same again next time",
		Example: "getaddrinfo: Name or service not known"},
	{ID: "dns/not-found-name", Rank: rankCause, Quiet: false,
		Match: []string{"getaddrinfo ENOTFOUND|queryA ENOTFOUND|queryAaaa ENOTFOUND|ENOTFOUND|EAI_NONAME|EAI_NODATA|WSAHOST_NOT_FOUND|getaddrinfo ENODATA|" +
			"queryA ENODATA|[Errno -2]|[Errno -5]|[Errno 11001]|[Errno 11004]|SocketException (11001)|SocketException (11004)"},
		Code: "ENOTFOUND", Syscall: "getaddrinfo", Phase: "resolve", Source: "getaddrinfo(3)",
		Why:     "the resolver says that the name does not exist or has no address; nothing was sent, and the same again next time",
		Example: "getaddrinfo ENOTFOUND host.example"},
	{ID: "dns/again", Rank: rankCause + 1,
		Match: []string{"temporary failure in name resolution|temporary failure in name|temporary failure resolving|EAI_AGAIN|[Errno -3]|WSATRY_AGAIN|[Errno 11002]|" +
			"SocketException (11002)|name resolution: try again|address information: try again|temporary error during hostname resolution|" +
			"dns server returned general failure|could not contact dns servers"},
		Code: "EAI_AGAIN", Syscall: "getaddrinfo", Phase: "resolve", Source: "getaddrinfo(3): EAI_AGAIN",
		Why:     "the resolver failed for the moment; nothing was sent",
		Example: "getaddrinfo EAI_AGAIN host.example"},
	{ID: "dns/fail",
		Match: []string{"non-recoverable failure in name resolution|EAI_FAIL|[Errno -4]|WSANO_RECOVERY|[Errno 11003]|SocketException (11003)|" +
			"a non-recoverable error occurred during a database lookup"},
		Code: "EAI_FAIL", Syscall: "getaddrinfo", Phase: "resolve", Source: "getaddrinfo(3): EAI_FAIL",
		Why:     "the resolver refuses to answer; nothing was sent",
		Example: "Non-recoverable failure in name resolution"},
	{ID: "dns/not-found-winsock", Rank: rankNumber, Quiet: true, Reads: errorNumber,
		Match: []string{"11001|11004"},
		Code:  "ENOTFOUND", Syscall: "getaddrinfo", Phase: "resolve", Source: "Windows Sockets Error Codes",
		Example: "11001"},
	{ID: "dns/again-winsock", Rank: rankNumber, Quiet: true, Reads: errorNumber,
		Match: []string{"11002"},
		Code:  "EAI_AGAIN", Syscall: "getaddrinfo", Phase: "resolve", Source: "Windows Sockets Error Codes",
		Example: "11002"},
	{ID: "dns/fail-winsock", Rank: rankNumber, Quiet: true, Reads: errorNumber,
		Match: []string{"11003"},
		Code:  "EAI_FAIL", Syscall: "getaddrinfo", Phase: "resolve", Source: "Windows Sockets Error Codes",
		Example: "11003"},
	{ID: "dns/timeout",
		Match: []string{"dns lookup timed out|dns resolution timed out|resolving timed out|dns timeout|timeout while contacting dns servers|" +
			"name resolution timed out|host lookup timed out|name lookup timed out|queryA ETIMEOUT|queryAaaa ETIMEOUT|querySrv ETIMEOUT|queryTxt ETIMEOUT|host resolve timed out"},
		Code: "TIMEOUT", Syscall: "getaddrinfo", Phase: "resolve", Source: "c-ares ARES_ETIMEOUT, curl lib/multi.c",
		Why:     "the resolver did not answer in time; nothing was sent",
		Example: "Resolving timed out after 5000 milliseconds"},
}

// errnoTable is every errno that a socket call returns, in the spellings that
// the runtimes share.
func errnoTable() Table {
	t := Table{Title: "errno, Winsock and resolver results", SaidBy: ByClient}
	for i := range errnoRows {
		t.Entries = append(t.Entries, errnoRows[i].entries()...)
	}
	t.Entries = append(t.Entries, resolverEntries...)
	return t
}
