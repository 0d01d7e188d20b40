package scenarios

// Groups is every table of the lab in the order it is printed: the answers,
// then the article's table, then a call's way from the name to the answer's
// last byte, and what stands in between. After them come the groups on request.
func Groups() []Group {
	matrix := matrixGroups()
	return append(matrix, backoffGroup(), engineGroup(matrix, 0))
}

// matrixGroups are those that run unless something else is asked for.
func matrixGroups() []Group {
	return []Group{
		statusGroup(), retryAfterGroup(), networkGroup(), chargeGroup(),
		resolveGroup(), connectGroup(), tlsGroup(), uploadGroup(), responseGroup(), timeoutGroup(),
		keepaliveGroup(), http2Group(), poolGroup(), cancelGroup(), redirectGroup(),
		gatewayGroup(), proxyGroup(), outageGroup(),
	}
}
