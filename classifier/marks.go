package classifier

import "strings"

// gatewayField tells whether a header field is the mark of an intermediary.
// This and gatewayServer are the whole list.
func gatewayField(field string) bool {
	switch field {
	case "Via", "Proxy-Status", "Cf-Ray", "X-Amz-Cf-Id", "X-Cache", "X-Served-By",
		"Fly-Request-Id", "X-Vercel-Id":
		return true
	}
	return strings.HasPrefix(field, "X-Envoy-")
}

// gatewayServers are the beginnings of Server values that name software or a
// service that usually stands in front of the origin.
var gatewayServers = [...]string{
	"envoy", "istio-envoy", "nginx", "openresty", "cloudflare", "awselb",
	"AkamaiGHost", "Varnish", "gws", "Google Frontend",
	"Microsoft-Azure-Application-Gateway", "Caddy", "Cowboy", "haproxy", "ATS",
}

// gatewayServer tells whether a Server field names an intermediary.
func gatewayServer(values []string) bool {
	for _, v := range values {
		for _, name := range gatewayServers {
			if len(v) >= len(name) && strings.EqualFold(v[:len(name)], name) {
				return true
			}
		}
	}
	return false
}
