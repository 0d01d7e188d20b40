package explain

import (
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// grpcStatus is one status of gRPC: its code, how Go spells it, its number,
// the code whose rule fits, and the phase that it states.
type grpcStatus struct {
	code   classifier.Code
	goName string
	number string
	like   classifier.Code
	phase  classifier.Phase
	why    string
}

var grpcStatuses = [...]grpcStatus{
	{"GRPC_UNAVAILABLE", "Unavailable", "14", "HTTP_502", "", "UNAVAILABLE wraps both a connection that was never made and one that broke after the request was sent"},
	{"GRPC_UNKNOWN", "Unknown", "2", "HTTP_500", "unknown", "the server, or something before it, failed in a way that it did not name; it may have acted"},
	{"GRPC_INTERNAL", "Internal", "13", "HTTP_500", "unknown", "an internal error of the server or of the transport; it may have acted"},
	{"GRPC_RESOURCE_EXHAUSTED", "ResourceExhausted", "8", "HTTP_429", "answered", "a quota or a rate limit; the work was refused"},
	{"GRPC_ABORTED", "Aborted", "10", "HTTP_409", "answered", "the operation was aborted, usually by a conflict: begin again at a higher level"},
	{"GRPC_DATA_LOSS", "DataLoss", "15", "HTTP_500", "answered", "data was lost; the server acted"},
	{"GRPC_INVALID_ARGUMENT", "InvalidArgument", "3", "HTTP_400", "answered", "the server refuses the arguments, and will next time"},
	{"GRPC_NOT_FOUND", "NotFound", "5", "HTTP_404", "answered", "no such thing; the same next time"},
	{"GRPC_ALREADY_EXISTS", "AlreadyExists", "6", "HTTP_422", "answered", "it exists already, perhaps by an earlier attempt: look"},
	{"GRPC_PERMISSION_DENIED", "PermissionDenied", "7", "HTTP_403", "answered", "not allowed, and not next time"},
	{"GRPC_FAILED_PRECONDITION", "FailedPrecondition", "9", "HTTP_412", "answered", "the state does not allow it; the same next time"},
	{"GRPC_OUT_OF_RANGE", "OutOfRange", "11", "HTTP_400", "answered", "out of range; the same next time"},
	{"GRPC_UNIMPLEMENTED", "Unimplemented", "12", "HTTP_501", "answered", "the server does not have this method"},
	{"GRPC_UNAUTHENTICATED", "Unauthenticated", "16", "HTTP_401", "answered", "the call needs fresh credentials"},
}

// grpcTable is what the gRPC libraries say, in all their languages.
func grpcTable() Table {
	t := Table{
		Runtime: "grpc", Title: "gRPC", SaidBy: ByLibrary,
		Retries: "gRPC sends a call again by itself while nothing of it has reached a server (transparent retry), and by the service config's retryPolicy",
		Marks:   []string{"io.grpc|rpc error: code =|StatusRuntimeException|InactiveRpcError|grpc-status|@grpc/grpc-js|RpcException|grpc_status"},
	}
	for _, s := range grpcStatuses {
		name := strings.TrimPrefix(string(s.code), grpcPrefix)
		spelled := []string{name + ":", "code = " + s.goName, "StatusCode." + name, s.number + " " + name, "Status." + name, "StatusCode=\"" + s.goName + "\"",
			"StatusCode=" + s.goName, "grpc_status:" + s.number, "grpc-status: " + s.number, "status: " + name, "code: '" + name + "'", "status " + name, "status=" + name}
		t.Entries = append(t.Entries, Entry{
			ID: "grpc/" + strings.ToLower(strings.ReplaceAll(name, "_", "-")), Match: []string{strings.Join(spelled, "|")}, Rank: rankName + 2,
			Code: s.code, Phase: s.phase, Like: s.like, Wait: s.like == "HTTP_429",
			Why: s.why, Source: "grpc statuscodes.md", Example: "rpc error: code = " + s.goName + " desc = no",
			Processed: grpcProcessed(s.like, s.phase),
		})
	}
	t.Entries = append(t.Entries, grpcEntries...)
	return t
}

// grpcProcessed is never where the server says that it refused.
func grpcProcessed(like classifier.Code, phase classifier.Phase) classifier.Processed {
	if phase != classifier.PhaseAnswered || like == "HTTP_500" {
		return classifier.Maybe
	}
	return classifier.Never
}

var grpcEntries = []Entry{
	{ID: "grpc/deadline", Rank: rankTimer,
		Match: []string{"DEADLINE_EXCEEDED|code = DeadlineExceeded|StatusCode=\"DeadlineExceeded\"|StatusCode=DeadlineExceeded|deadline exceeded after"},
		Code:  "TIMEOUT", Source: "grpc statuscodes.md",
		Why:     "the deadline of the call ran out; the server may have done it",
		Example: "rpc error: code = DeadlineExceeded desc = late"},
	{ID: "grpc/canceled", Rank: rankName + 1,
		Match: []string{"CANCELLED:|code = Canceled|StatusCode.CANCELLED|StatusCode=\"Cancelled\"|1 CANCELLED"},
		Code:  "CANCELED", Usually: "unknown", Source: "grpc statuscodes.md",
		Why:     "the call was cancelled, usually by the caller",
		Example: "io.grpc.StatusRuntimeException: CANCELLED: call cancelled"},
	{ID: "grpc/waiting-for-connection", Role: Clue, Rank: clueDial,
		Match: []string{"waiting_for_connection"},
		Phase: "pool", Source: "grpc-java DelayedClientTransport",
		Example: "DEADLINE_EXCEEDED: deadline exceeded after 0.9s. [waiting_for_connection]"},
	{ID: "grpc/stream-open", Role: Clue, Rank: clueRead,
		Match: []string{"remote_addr="},
		Phase: "await", Source: "grpc-java ClientCallImpl",
		Example: "DEADLINE_EXCEEDED: deadline exceeded after 0.9s. [remote_addr=localhost/127.0.0.1:1]"},
	{ID: "grpc/core-reset", Rank: rankCause, Reads: h2After,
		Match:   []string{"\"http2_error\":|http2_error:"},
		Usually: "await", Source: "grpc core frame_rst_stream.c",
		Why:     "the peer reset the stream; only REFUSED_STREAM promises that nothing was processed",
		Example: "13:{\"description\":\"RST_STREAM\",\"http2_error\":2}"},
	{ID: "grpc/okhttp-protocol", Rank: rankCause,
		Match: []string{"Protocol error Rst Stream|Protocol error Goaway"},
		Code:  "H2_PROTOCOL_ERROR", Usually: "await", Source: "grpc-java OkHttpClientTransport.toGrpcStatus",
		Why:     "the peer reset the stream; the request may have been processed",
		Example: "io.grpc.StatusRuntimeException: INTERNAL: Protocol error Rst Stream"},
	{ID: "grpc/okhttp-internal", Rank: rankCause,
		Match: []string{"Internal error Rst Stream|Internal error Goaway"},
		Code:  "H2_INTERNAL_ERROR", Usually: "await", Source: "grpc-java OkHttpClientTransport.toGrpcStatus",
		Why:     "the peer reset the stream; the request may have been processed",
		Example: "io.grpc.StatusRuntimeException: INTERNAL: Internal error Rst Stream"},
	{ID: "grpc/from-peer", Role: Clue, Rank: clueWeak + 10,
		Match:   []string{"error received from peer|error reading from server"},
		Syscall: "read", Phase: "await", Source: "grpc core call.cc, grpc-go http2_client.go",
		Example: "status = StatusCode.UNAVAILABLE details = \"Connection reset by peer\" \"Error received from peer ipv4:192.0.2.1:1\""},
	{ID: "grpc/lb-pick", Role: Clue, Rank: clueDial - 1,
		Match: []string{"waiting for lb pick|waiting for name resolution"},
		Phase: "pool", Source: "grpc-js load-balancing-call",
		Example: "4 DEADLINE_EXCEEDED: Deadline exceeded after 5.0s,Waiting for LB pick"},
	{ID: "grpc/no-healthy", Rank: rankStatus,
		Match: []string{"no healthy upstream", "UNAVAILABLE*|Unavailable*"},
		Code:  "GRPC_UNAVAILABLE", Phase: "answered", Processed: "never", Like: "ECONNREFUSED", Source: "Envoy router, flag UH",
		Why:     "the gateway had no upstream to forward to",
		Example: "UNAVAILABLE: no healthy upstream"},
	{ID: "grpc/no-connection", Rank: rankCause - 1,
		Match: []string{"failed to connect to all addresses|no connection established|failed to connect to remote host|error while dialing|" +
			"connections to all backends failing|failed to connect before the deadline"},
		Code: "GRPC_UNAVAILABLE", Phase: "connect", Like: "EOF", Source: "grpc core, grpc-go",
		Why:     "no address could be connected to, so nothing was sent",
		Example: "14 UNAVAILABLE: No connection established"},
	{ID: "grpc/name", Rank: rankCause - 1,
		Match: []string{"name resolution failed for target|unable to resolve host|dns resolution failed", "UNAVAILABLE*|Unavailable*"},
		Code:  "GRPC_UNAVAILABLE", Phase: "resolve", Like: "EOF", Source: "grpc-js resolver-dns, grpc-java DnsNameResolver",
		Why:     "the name was not resolved, so nothing was sent",
		Example: "14 UNAVAILABLE: Name resolution failed for target dns:host.example"},
	{ID: "grpc/channel-shut", Rank: rankCause,
		Match: []string{"channel shutdown|channel has been shut down|the client connection is closing|grpc: the client connection is closing|" +
			"cannot invoke rpc on closed channel|channel closed", "!code = Unavailable"},
		Code: "CONN_CLOSED", Phase: "prepare", Source: "grpc-java ManagedChannelImpl, grpc-go clientconn.go",
		Why:     "the program had closed its channel; this call never left",
		Example: "UNAVAILABLE: Channel shutdown invoked"},
	{ID: "grpc/transport-closing", Rank: rankCause,
		Match: []string{"transport is closing|end of stream or ioexception|socket closed|connection dropped|network closed for unknown reason|" +
			"keepalive failed|keepalive ping failed|the connection is draining|stream removed|stream terminated by rst_stream", "UNAVAILABLE*|Unavailable*|UNKNOWN*|INTERNAL*|grpc*"},
		Code: "GRPC_UNAVAILABLE", Phase: "await", Like: "EOF", Source: "grpc-go transport, grpc core",
		Why:     "the connection ended while the call was out; the server may have acted",
		Example: "rpc error: code = Unavailable desc = transport is closing"},
	{ID: "grpc/unsent-goaway", Rank: rankBroken,
		Match: []string{"goaway closed unsent stream|stream refused by server|unprocessed stream"},
		Code:  "H2_GOAWAY", Phase: "await", Processed: "never", Source: "grpc-java NettyClientHandler",
		Why:     "the stream's number is above the GOAWAY's last id: not processed, by the protocol",
		Example: "UNAVAILABLE: Abrupt GOAWAY closed unsent stream. HTTP/2 error code: NO_ERROR"},
	{ID: "grpc/sent-goaway", Rank: rankBroken,
		Match: []string{"goaway closed sent stream|connection closed after goaway|received goaway"},
		Code:  "H2_GOAWAY", Phase: "await", Source: "grpc-java NettyClientHandler",
		Why:     "the server had the stream when the connection went away; it may have acted",
		Example: "UNAVAILABLE: Abrupt GOAWAY closed sent stream. HTTP/2 error code: ENHANCE_YOUR_CALM"},
	{ID: "grpc/too-large", Rank: rankCause,
		Match: []string{"message larger than max|message exceeds maximum size|message length too large"},
		Code:  "GRPC_RESOURCE_EXHAUSTED", Phase: "answered", Processed: "maybe", Like: "INVALID_REQUEST", Source: "grpc-go rpc_util.go",
		Why:     "a message is larger than one side allows: no rate limit, and the same next time; if it is the answer, the work is done",
		Example: "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5000000 vs. 4194304)"},
	{ID: "grpc/http-status", Rank: rankCause, Reads: statusAfter,
		Match:   []string{"unexpected http status code received from server:|http status code|received http status code"},
		Source:  "grpc-go http_util.go",
		Why:     "what answered is no gRPC server: a gateway's answer",
		Example: "rpc error: code = Unavailable desc = unexpected HTTP status code received from server: 502 (Bad Gateway)"},
	{ID: "grpc/envoy-timeout", Rank: rankStatus,
		Match: []string{"upstream request timeout", "UNAVAILABLE*|DEADLINE_EXCEEDED*|Unavailable*|DeadlineExceeded*"},
		Code:  "GRPC_UNAVAILABLE", Phase: "answered", Processed: "maybe", Like: "HTTP_504", Source: "Envoy router",
		Why:     "a gateway gave up waiting for the server, which may have acted",
		Example: "UNAVAILABLE: upstream request timeout"},
}
