package explain

// http2Table is what clients say about HTTP/2 (RFC 9113) in common words.
var http2Table = Table{Title: "HTTP/2", SaidBy: ByClient, Entries: []Entry{
	{ID: "h2/stream-error", Reads: h2After,
		Match: []string{"stream closed with error code|stream was reset:|stream reset:|closed cleanly:|http/2 error code:|http/2 error code '|" +
			"error_code:ErrorCodes.*|received rst_stream with error code|received rst_stream with code|RST_STREAM:|" +
			"rst_stream closed stream. http/2 error code:|rst_stream with error code|http2 error:|was reset by peer:|" +
			"reset the stream. http/2 error code|error_code:|error_code=|errorcode=|NGHTTP2_*|stream error received:|stream error:|" +
			"with error code:|remote reset:"},
		Usually: "await", Source: "RFC 9113 section 7",
		Why:     "the peer reset the stream; only REFUSED_STREAM promises that nothing was processed",
		Example: "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)"},
	{ID: "h2/refused", Rank: rankCause + 1,
		Match: []string{"REFUSED_STREAM|refused stream|stream not processed|stream refused|refused_stream|server_refused_stream|" +
			"request not processed by peer|unprocessed by peer"},
		Code: "H2_REFUSED_STREAM", Usually: "await", Source: "RFC 9113 section 8.7",
		Why:     "the peer promises that it did nothing with the request, whatever its method",
		Example: "REFUSED_STREAM"},
	{ID: "h2/goaway", Rank: rankCause + 1,
		Match: []string{"goaway|go away|GoAway|ConnectionTerminated"},
		Code:  "H2_GOAWAY", Usually: "await", Source: "RFC 9113 section 6.8",
		Why:     "streams up to the last id may have been processed, those above were not; the text does not say which ours was",
		Example: "GOAWAY received"},
	{ID: "h2/goaway-none", Rank: rankBroken,
		Match: []string{"LastStreamID=0|last_stream_id:0|last_stream_id: 0|last_stream_id=0|lastStreamID: 0|lastStreamId=0|last stream id: 0|last-stream-id=0",
			"goaway|ConnectionTerminated|GOAWAY_*"},
		Code: "H2_GOAWAY", Usually: "await", Processed: "never", Source: "RFC 9113 section 6.8",
		Why:     "a last id of 0 says that no stream was processed: send it again on another connection",
		Example: "http2: server sent GOAWAY and closed the connection; LastStreamID=0, ErrCode=NO_ERROR, debug=\"\""},
	{ID: "h2/goaway-new-stream", Rank: rankBroken,
		Match: []string{"new streams cannot be created after receiving a goaway|ERR_HTTP2_GOAWAY_SESSION"},
		Code:  "H2_GOAWAY", Phase: "prepare", Source: "Node lib/internal/http2/core.js",
		Why:     "thrown here when a stream was to be opened on a session that drains: this request never left",
		Example: "Error [ERR_HTTP2_GOAWAY_SESSION]: New streams cannot be created after receiving a GOAWAY"},
	{ID: "h2/framing",
		Match: []string{"error in the http2 framing layer|http2 framing layer|ERR_HTTP2_PROTOCOL_ERROR|http2 protocol error|ERR_HTTP2_FRAME_SIZE_ERROR|" +
			"ERR_HTTP2_COMPRESSION_ERROR|ERR_SPDY_PROTOCOL_ERROR|http/2 protocol error|frame size error"},
		Code: "H2_PROTOCOL_ERROR", Usually: "await", Source: "RFC 9113 section 7",
		Why:     "the HTTP/2 connection broke; the request may have been processed",
		Example: "curl: (16) Error in the HTTP2 framing layer"},
	{ID: "h2/too-many-streams",
		Match: []string{"too many concurrent streams|too_many_concurrent_requests|max concurrent streams|maximum concurrent streams"},
		Code:  "POOL_TIMEOUT", Phase: "pool", Source: "RFC 9113 section 5.1.2",
		Why:     "no stream was free on the connection; this request never left",
		Example: "too many concurrent streams"},
}}
