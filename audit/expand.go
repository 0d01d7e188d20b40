package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Placeholders are what stands in a command's arguments for a part of the
// case's request.
func Placeholders() []string {
	return []string{"url", "method", "key", "body_file", "timeout_ms", "deadline_ms", "warm_url", "ca_file"}
}

var placeholder = regexp.MustCompile(`\{([a-z][a-z0-9_]*)\}`)

// UnknownPlaceholders lists what stands in braces in args and is none, once
// each.
func UnknownPlaceholders(args []string) []string {
	var unknown []string
	for _, a := range args {
		for _, m := range placeholder.FindAllStringSubmatch(a, -1) {
			if !slices.Contains(Placeholders(), m[1]) && !slices.Contains(unknown, m[0]) {
				unknown = append(unknown, m[0])
			}
		}
	}
	return unknown
}

// uses reports whether a placeholder stands in args.
func uses(args []string, name string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "{"+name+"}") })
}

// An order is a request as a command gets it.
type order struct {
	Case        string `json:"case"`
	Run         int    `json:"run"`
	URL         string `json:"url"`
	Method      string `json:"method"`
	Key         string `json:"key"`
	BodyFile    string `json:"body_file"`
	Body        string `json:"body"` // "file" or "stream"
	ContentType string `json:"content_type"`
	TimeoutMS   int    `json:"timeout_ms"`
	DeadlineMS  int    `json:"deadline_ms"` // 0: none
	WarmURL     string `json:"warm_url"`
	CAFile      string `json:"ca_file"`
	Retries     int    `json:"retries"`
	BaseMS      int    `json:"base_ms"`
}

// number is n in digits, or nothing for zero.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// args fills in the placeholders; no argument becomes two.
func (o order) args(command []string) []string {
	fill := strings.NewReplacer("{url}", o.URL, "{method}", o.Method, "{key}", o.Key, "{body_file}", o.BodyFile,
		"{timeout_ms}", number(o.TimeoutMS), "{deadline_ms}", number(o.DeadlineMS), "{warm_url}", o.WarmURL, "{ca_file}", o.CAFile)
	out := make([]string, len(command))
	for i, a := range command {
		out[i] = fill.Replace(a)
	}
	return out
}

// env is the request as variables.
func (o order) env() []string {
	return append(trust(o.CAFile),
		"RETRY_LAB_URL="+o.URL, "RETRY_LAB_METHOD="+o.Method, "RETRY_LAB_KEY="+o.Key,
		"RETRY_LAB_BODY_FILE="+o.BodyFile, "RETRY_LAB_BODY="+o.Body, "RETRY_LAB_CONTENT_TYPE="+o.ContentType,
		"RETRY_LAB_TIMEOUT_MS="+number(o.TimeoutMS), "RETRY_LAB_DEADLINE_MS="+number(o.DeadlineMS),
		"RETRY_LAB_WARM_URL="+o.WarmURL, "RETRY_LAB_RETRIES="+strconv.Itoa(o.Retries), "RETRY_LAB_BASE_MS="+strconv.Itoa(o.BaseMS),
		"RETRY_LAB_CASE="+o.Case, fmt.Sprintf("RETRY_LAB_RUN=%d", o.Run))
}

// trust makes the usual libraries trust the lab's authority.
func trust(file string) []string {
	return []string{"RETRY_LAB_CA_FILE=" + file, "SSL_CERT_FILE=" + file, "CURL_CA_BUNDLE=" + file,
		"REQUESTS_CA_BUNDLE=" + file, "NODE_EXTRA_CA_CERTS=" + file}
}

// foreign are the variables that would lead a client to another server than
// the lab's, or that the order sets.
var foreign = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}

// clean leaves out of the parent's environment what belongs to the lab or leads
// past it. Of a variable that is there twice some programs take the first.
func clean(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return strings.HasPrefix(name, "RETRY_LAB_") || slices.Contains(foreign, strings.ToUpper(name))
	})
}
