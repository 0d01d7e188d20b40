package classifier

// statusRow is one status code.
type statusRow struct {
	rule
	processed Processed
	basis     Basis
	source    string
}

// statusTable has every code of the IANA registry and the common unregistered
// ones. The index is the status; a row without a source is answered by its class
// (see rowOf). Cells:
//
//	never, claimed     the answer says that the request was refused
//	never, guaranteed  the protocol promises it
//	maybe, assumed     the answer does not tell
//	yes, claimed       the answer is about work that was done
//
// Redirects that are the final answer (the client did not follow): 300 to 304
// are an answer to the request; 305, 307 and 308 say that it was not acted on
// and belongs elsewhere, which is a new call.
var statusTable = [...]statusRow{
	100: {unsure(NotRecognised), Maybe, Assumed, "RFC 9110 section 15.2.1"}, // an interim answer is never the final one
	101: {ends(Success), Yes, Claimed, "RFC 9110 section 15.2.2"},
	102: {unsure(NotRecognised), Maybe, Assumed, "RFC 2518 section 10.1"},
	103: {unsure(NotRecognised), Maybe, Assumed, "RFC 8297 section 2"},
	104: {unsure(NotRecognised), Maybe, Assumed, "draft-ietf-httpbis-resumable-upload"},

	200: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.1"},
	201: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.2"},
	202: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.3"}, // accepted: poll, do not send again
	203: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.4"},
	204: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.5"},
	205: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.6"},
	206: {ends(Success), Yes, Claimed, "RFC 9110 section 15.3.7"},
	207: {ends(Success), Yes, Claimed, "RFC 4918 section 11.1"},
	208: {ends(Success), Yes, Claimed, "RFC 5842 section 7.1"},
	226: {ends(Success), Yes, Claimed, "RFC 3229 section 10.4.1"},

	300: {ends(RedirectAnswered), Yes, Claimed, "RFC 9110 section 15.4.1"},
	301: {ends(RedirectAnswered), Yes, Claimed, "RFC 9110 section 15.4.2"},
	302: {ends(RedirectAnswered), Yes, Claimed, "RFC 9110 section 15.4.3"},
	303: {ends(RedirectAnswered), Yes, Claimed, "RFC 9110 section 15.4.4"},
	304: {ends(Success), Yes, Claimed, "RFC 9110 section 15.4.5"},
	305: {fails(RedirectElsewhere), Never, Claimed, "RFC 9110 section 15.4.6"},
	306: {unsure(NotRecognised), Maybe, Assumed, "RFC 9110 section 15.4.7"},
	307: {fails(RedirectElsewhere), Never, Claimed, "RFC 9110 section 15.4.8"},
	308: {fails(RedirectElsewhere), Never, Claimed, "RFC 9110 section 15.4.9"},

	400: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.1"},
	401: {fails(Credentials), Never, Claimed, "RFC 9110 section 15.5.2"},
	402: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.3"},
	403: {waits(Deterministic), Never, Claimed, "RFC 9110 section 15.5.4"}, // also a rate limit, where it says when
	404: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.5"},
	405: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.6"},
	406: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.7"},
	407: {fails(Credentials), Never, Claimed, "RFC 9110 section 15.5.8"},
	408: {passes(ServerDidNoWork), Never, Claimed, "RFC 9110 section 15.5.9"},
	409: {rule{conflict, Decision{Verdict: Fail, Reason: Conflict}}, Never, Claimed, "RFC 9110 section 15.5.10"},
	410: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.11"},
	411: {changes(ModifyLength, LengthRequired), Never, Claimed, "RFC 9110 section 15.5.12"},
	412: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.13"},
	413: {waits(Deterministic), Never, Claimed, "RFC 9110 section 15.5.14"},
	414: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.15"},
	415: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.16"},
	416: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.17"},
	417: {changes(ModifyExpect, ExpectationFailed), Never, Claimed, "RFC 9110 section 15.5.18"},
	418: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.19"},
	419: {fails(Credentials), Never, Claimed, "unregistered: Laravel, page expired"},
	420: {waits(Deterministic), Never, Claimed, "unregistered: enhance your calm, a rate limit"},
	421: {changes(ModifyConnection, MisdirectedAnswer), Never, Guaranteed, "RFC 9110 section 15.5.20"},
	422: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.21"},
	423: {waits(Deterministic), Never, Claimed, "RFC 4918 section 11.3"},
	424: {fails(Deterministic), Never, Claimed, "RFC 4918 section 11.4"},
	425: {rule{transient, Decision{Verdict: Retry, Reason: TooEarly, Modify: ModifyNotEarly}}, Never, Claimed, "RFC 8470 section 5.2"},
	426: {fails(Deterministic), Never, Claimed, "RFC 9110 section 15.5.22"},
	428: {fails(Deterministic), Never, Claimed, "RFC 6585 section 3"},
	429: {passes(RateLimited), Never, Claimed, "RFC 6585 section 4"},
	430: {fails(Deterministic), Never, Claimed, "unregistered: Shopify, security rejection"},
	431: {fails(Deterministic), Never, Claimed, "RFC 6585 section 5"},
	440: {fails(Credentials), Never, Claimed, "unregistered: IIS, login time-out"},
	444: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: nginx closed without an answer (its log only)"},
	449: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: IIS and Cosmos DB, retry with"},
	450: {fails(Deterministic), Never, Claimed, "unregistered: blocked by parental controls"},
	451: {fails(Deterministic), Never, Claimed, "RFC 7725 section 3"},
	460: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: AWS ALB, client closed (its log only)"},
	463: {fails(Deterministic), Never, Claimed, "unregistered: AWS ALB, too many X-Forwarded-For addresses"},
	464: {fails(Deterministic), Never, Claimed, "unregistered: AWS ALB, incompatible protocol versions"},
	494: {fails(Deterministic), Never, Claimed, "unregistered: nginx, request header too large"},
	495: {fails(Deterministic), Never, Claimed, "unregistered: nginx, client certificate error"},
	496: {fails(Deterministic), Never, Claimed, "unregistered: nginx, client certificate missing"},
	497: {fails(WrongProtocol), Never, Claimed, "unregistered: nginx, plain HTTP to the HTTPS port"},
	498: {fails(Credentials), Never, Claimed, "unregistered: Esri, invalid token"},
	499: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: nginx, client closed the request (its log only)"},

	500: {passes(MayHaveBeenProcessed), Maybe, Assumed, "RFC 9110 section 15.6.1"},
	501: {fails(NotSupported), Never, Claimed, "RFC 9110 section 15.6.2"},
	502: {passes(MayHaveBeenProcessed), Maybe, Assumed, "RFC 9110 section 15.6.3"},
	503: {passes(ServerDidNoWork), Never, Claimed, "RFC 9110 section 15.6.4"},
	504: {passes(MayHaveBeenProcessed), Maybe, Assumed, "RFC 9110 section 15.6.5"},
	505: {fails(NotSupported), Never, Claimed, "RFC 9110 section 15.6.6"},
	506: {fails(Deterministic), Never, Claimed, "RFC 2295 section 8.1"},
	507: {fails(UserAction), Maybe, Assumed, "RFC 4918 section 11.5"},
	508: {fails(Deterministic), Maybe, Assumed, "RFC 5842 section 7.2"},
	509: {waits(Deterministic), Never, Claimed, "unregistered: cPanel, bandwidth limit exceeded"},
	510: {fails(Deterministic), Never, Claimed, "RFC 2774 section 7"},
	511: {fails(NetworkLogin), Never, Claimed, "RFC 6585 section 6"},
	520: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: Cloudflare, unknown answer of the origin"},
	521: {passes(ProxyNotForwarded), Never, Claimed, "unregistered: Cloudflare, the origin refuses connections"},
	522: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: Cloudflare, no SYN+ACK, or the request was not ACKed"},
	523: {passes(ProxyNotForwarded), Never, Claimed, "unregistered: Cloudflare, no route to the origin"},
	524: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: Cloudflare, the origin did not answer in time"},
	525: {passes(ProxyNotForwarded), Never, Claimed, "unregistered: Cloudflare, TLS handshake with the origin failed"},
	526: {fails(Certificate), Never, Claimed, "unregistered: Cloudflare, invalid certificate of the origin"},
	527: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: Cloudflare, Railgun (retired)"},
	529: {passes(ServerDidNoWork), Never, Claimed, "unregistered: site is overloaded"},
	530: {passes(ProxyNotForwarded), Never, Claimed, "unregistered: Cloudflare, the origin's name cannot be resolved"},
	540: {passes(ServerDidNoWork), Never, Claimed, "unregistered: Shopify, temporarily disabled"},
	561: {fails(Credentials), Never, Claimed, "unregistered: AWS ALB, identity provider error"},
	598: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: read time-out of a proxy"},
	599: {passes(MayHaveBeenProcessed), Maybe, Assumed, "unregistered: connect time-out of a proxy"},
}
