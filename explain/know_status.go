package explain

// statusTable is how an answer's status is put into words. The number counts,
// not the words around it.
var statusTable = Table{Title: "HTTP answers", SaidBy: ByServer, Entries: []Entry{
	{ID: "status/library", Rank: rankStatus, Reads: statusAfter, Quiet: true,
		Match: []string{"response code|responded with status|returned error:|returned error|unexpected status|unexpected status code|http response code:|" +
			"server returned http response code|failed with status code|failed with status|does not indicate success:|returned status|" +
			"returned http|resulted in a `|kind: Status(|got status|status error (|invalid status|last status:|answered with|replied with"},
		Source:  "RFC 9110 section 15",
		Why:     "an answer came; its status decides",
		Example: "unexpected status code: 404"},
	{ID: "status/property", Rank: rankTimer, Reads: statusAfter, Quiet: true,
		Match: []string{"status code|statuscode|status: |status=|http status|error code:|status line: http/1.1|response status|http_status|httpstatuscode|" +
			"http_code|status code of|statuscode:|error response|ErrCode:|with http|*(Status"},
		Source:  "RFC 9110 section 15",
		Why:     "an answer came; its status decides",
		Example: "statusCode: 404"},
	{ID: "status/failed", Rank: rankStatus, Reads: statusAfter,
		Match:   []string{"request failed with status code|failed with http status"},
		Source:  "axios, Faraday, curl, Java, .NET",
		Why:     "an answer came; its status decides",
		Example: "Request failed with status code 410"},
	{ID: "status/quoted", Rank: rankTimer, Reads: statusAfter, Quiet: true,
		Match: []string{"\"status\":|\"statusCode\":|\"status_code\":|\"code\":|status_code=|client error '|server error '|HTTPError:|<HttpError|HTTP Error|HttpException: HTTP|" +
			"[error] HTTP|statuscode=|HTTPStatusError:|googleapi: Error|FeignException*|HTTP/1.1|HTTP/1.0|HTTP/2|HTTP/2.0|HttpException:|" +
			"ClientResponseError:|Error code:|Server error '|StatusCode: |HTTP code|Backend Error|API error|API Error"},
		Source:  "RFC 9110 section 15",
		Why:     "an answer came; its status decides",
		Example: "{\"status\":404}"},
	{ID: "status/error", Rank: rankTimer - 2, Reads: statusAlone, Quiet: true,
		Match:   []string{"error:|failed:|error|failure:|failed with|code:", "request*|retrying|retry|http*|upload*|download*|server|response|apierror*|errors:"},
		Source:  "RFC 9110 section 15",
		Why:     "an answer came; its status decides",
		Example: "request failed due to temporary error: 404. retrying in 5 seconds"},
	{ID: "status/api-core", Rank: rankCause - 2, Reads: statusAfter,
		Match: []string{"google.api_core.exceptions.Aborted:|api_core.exceptions.ServiceUnavailable:|exceptions.TooManyRequests:|exceptions.InternalServerError:|" +
			"exceptions.BadGateway:|exceptions.GatewayTimeout:|exceptions.NotFound:|exceptions.Forbidden:|exceptions.Conflict:|exceptions.AlreadyExists:|" +
			"exceptions.PermissionDenied:|exceptions.Unauthenticated:|exceptions.InvalidArgument:|exceptions.BadRequest:|exceptions.ResourceExhausted:|" +
			"exceptions.FailedPrecondition:|exceptions.Unauthorized:", "!RST_STREAM"},
		Source:  "google-api-core exceptions.py",
		Why:     "an answer came; its status decides",
		Example: "google.api_core.exceptions.Aborted: 404 The operation was aborted."},
	{ID: "status/phrase", Rank: rankTimer, Reads: statusBefore, Quiet: true,
		Match: []string{"bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|proxy authentication required|" +
			"request time-out|conflict|length required|precondition failed|payload too large|request entity too large|content too large|" +
			"uri too long|unsupported media type|expectation failed|misdirected request|unprocessable entity|unprocessable content|too early|" +
			"upgrade required|precondition required|too many requests|request header fields too large|internal server error|not implemented|" +
			"bad gateway|service unavailable|service temporarily unavailable|gateway timeout|gateway time-out|http version not supported|" +
			"insufficient storage|loop detected|network authentication required|site is overloaded|overloaded|origin dns error|origin is unreachable|web server is down|" +
			"a timeout occurred|ssl handshake failed|client error|server error|error response", "!server error for http"},
		Source:  "RFC 9110 section 15",
		Why:     "an answer came; its status decides",
		Example: "502 Bad Gateway"},
	{ID: "status/timeout-phrase", Rank: rankTimer, Reads: statusBefore, Quiet: true,
		Match:   []string{"request timeout"},
		Source:  "RFC 9110 section 15.5.9",
		Why:     "an answer came; its status decides",
		Example: "408 Request Timeout"},
	{ID: "status/too-many", Rank: rankTimer - 1, Wait: true,
		Match: []string{"too many requests|rate limit exceeded|rate limit reached|rate limited|ratelimited|RateLimitError|rate_limit_exceeded|" +
			"rate_limit_error|TooManyRequests|ratelimitexceeded|exceeded call rate limit|being rate limited|request was throttled|" +
			"exceeded your rate limit|toomanyrequests"},
		Code: "HTTP_429", Source: "RFC 6585 section 4",
		Why:     "the server limits the rate and refused before any work",
		Example: "Rate limit exceeded"},
	{ID: "status/gateway-timeout", Rank: rankTimer - 1,
		Match: []string{"gateway timeout|gateway time-out|GatewayTimeout|upstream request timeout"},
		Code:  "HTTP_504", Source: "RFC 9110 section 15.6.5",
		Why:     "a gateway gave up waiting; the server behind it usually goes on, and may have done the work",
		Example: "Gateway Time-out"},
	{ID: "status/bad-gateway", Rank: rankTimer - 1,
		Match: []string{"bad gateway|BadGateway"},
		Code:  "HTTP_502", Source: "RFC 9110 section 15.6.3",
		Why:     "a gateway got no usable answer; the server behind it may have done the work",
		Example: "Bad Gateway"},
	{ID: "status/unavailable", Rank: rankTimer - 1,
		Match: []string{"service unavailable|service temporarily unavailable|ServiceUnavailable|service is unavailable|service is temporarily unavailable|" +
			"service is currently unavailable|temporarily overloaded"},
		Code: "HTTP_503", Source: "RFC 9110 section 15.6.4",
		Why:     "without a header the text does not show whether the server refused, or a gateway lost the answer",
		Example: "Service Unavailable"},
	{ID: "status/unauthorized", Rank: rankTimer - 2, Quiet: true,
		Match: []string{"unauthorized|authentication required"},
		Code:  "HTTP_401", Source: "RFC 9110 section 15.5.2",
		Why:     "the request needs fresh credentials",
		Example: "Unauthorized"},
	{ID: "status/page-cloudflare", Rank: rankCause, Reads: statusAfter, Quiet: true,
		Match:   []string{"error code|error|error code:", "ray id|cloudflare|cf-ray"},
		Source:  "Cloudflare 5xx errors",
		Why:     "Cloudflare's own page: it speaks for itself, not for the server behind it",
		Example: "Error code 524 Ray ID: 0"},
	{ID: "status/page", Rank: rankTimer, Reads: statusAfter, Quiet: true,
		Match: []string{"<title>|<h1>|error|http", "~bad gateway|service unavailable|service temporarily unavailable|gateway time-out|gateway timeout|too many requests|" +
			"internal server error|not found|forbidden|bad request|ray id|server error"},
		Source:  "pages of nginx, Apache, Cloudflare",
		Why:     "the page of an answer; its status decides",
		Example: "<h1>503</h1><p>service unavailable</p>"},
	{ID: "status/redirects",
		Match: []string{"too many redirects|maximum redirects|redirected too many times|redirections exceeded|redirect loop|too many follow-up requests|" +
			"maximum number of redirects|max redirects|TOO_MANY_REDIRECTS|redirects followed|TooManyRedirects|maximum redirect reached|" +
			"maximum allowed redirects|circular redirect|stopped after 10 redirects|exceeded the maximum number of redirects|" +
			"redirection limit reached|would lead to an infinite loop|redirect count exceeded|error following redirect|ERR_FR_TOO_MANY_REDIRECTS|redirect limit|exceeded 30 redirects"},
		Code: "REDIRECT_LOOP", Phase: "answered", Source: "RFC 9110 section 15.4",
		Why:     "every hop was answered with a redirect; a hop may have acted on the request, and the loop is the same next time",
		Example: "too many redirects"},
}}
