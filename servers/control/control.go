// Package control is the HTTP API of an Origin: it makes calls, reads their
// ledgers and deletes them. openapi.json, which it serves, describes it.
//
// It is for the tests of one machine. Whoever reaches it may use it; a web page
// that its user happens to visit may not.
package control

import (
	"net/http"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// Options make an API. Origin must be set.
type Options struct {
	Origin *servers.Origin

	// TLS is the root of the Origin where it speaks TLS; empty: nowhere.
	TLS string

	// Ports are the servers beside the Origin, one fault each.
	Ports []Port

	// Metrics answers GET /metrics; nil: that is not there.
	Metrics http.Handler

	// AnyHost lets a request name any host. Else it must be an IP address or
	// localhost: a web page can have a name of its own lead here, and would then
	// be of the same origin (DNS rebinding).
	AnyHost bool

	// MaxWait bounds how long a request may wait for a ledger, and MaxWaits how
	// many do at once; zero means a minute, and 256.
	MaxWait  time.Duration
	MaxWaits int
}

// An API is an http.Handler. Calls in it are safe for concurrent use.
type API struct {
	opts    Options
	waits   chan struct{} // one each
	scripts chan struct{} // one each while it is read
	long    chan struct{} // one each while it is made, and sent if it is long
	foreign *http.CrossOriginProtection
	routes  []route
}

// A route is one path of the API with the methods that it has.
type route struct {
	path    string // {name} is one segment
	methods []method
}

type method struct {
	name  string
	serve func(http.ResponseWriter, *http.Request, string) // with the segment
}

// maxScripts bounds the scripts in memory that are no call's yet: each may be
// megabytes long. Further ones wait.
const maxScripts = 16

// New makes an API.
func New(o Options) *API {
	if o.MaxWait <= 0 {
		o.MaxWait = time.Minute
	}
	if o.MaxWaits <= 0 {
		o.MaxWaits = 256
	}
	a := &API{
		opts: o, foreign: http.NewCrossOriginProtection(),
		waits: make(chan struct{}, o.MaxWaits), scripts: make(chan struct{}, maxScripts), long: make(chan struct{}, maxLong),
	}
	a.routes = []route{
		{"/calls", []method{{http.MethodGet, a.list}, {http.MethodPost, a.create}}},
		{"/calls/{id}", []method{{http.MethodGet, a.read}, {http.MethodDelete, a.remove}}},
		{"/faults", []method{{http.MethodGet, a.faults}}},
		{"/ports", []method{{http.MethodGet, a.ports}}},
		{"/ports/{name}", []method{{http.MethodGet, a.port}}},
		{"/openapi.json", []method{{http.MethodGet, a.openAPI}}},
	}
	if o.Metrics != nil {
		a.routes = append(a.routes, route{"/metrics", []method{{http.MethodGet, a.metrics}}})
	}
	return a
}

// ServeHTTP answers one request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if !a.opts.AnyHost && !local(r.Host) {
		refuse(w, http.StatusMisdirectedRequest, problem{Error: "the request names a host that is neither an IP address nor localhost", Field: "Host"})
		return
	}
	for _, to := range a.routes {
		if segment, ok := to.match(r.URL.EscapedPath()); ok {
			a.serve(to, w, r, segment)
			return
		}
	}
	refuse(w, http.StatusNotFound, problem{Error: "no such path; GET /openapi.json describes those that are there"})
}

// match compares a path as it was sent, so that no encoding of another path is
// this one, and returns the segment that stands for the name.
func (t route) match(path string) (segment string, ok bool) {
	fixed, _, named := strings.Cut(t.path, "{")
	if !named {
		return "", path == fixed
	}
	segment, ok = strings.CutPrefix(path, fixed)
	return segment, ok && segment != "" && !strings.Contains(segment, "/")
}

// serve finds the method; HEAD is GET, whose body net/http leaves out.
func (a *API) serve(t route, w http.ResponseWriter, r *http.Request, segment string) {
	wanted := r.Method
	if wanted == http.MethodHead {
		wanted = http.MethodGet
	}
	var allow []string
	for _, m := range t.methods {
		if m.name == wanted && a.foreign.Check(r) != nil {
			refuse(w, http.StatusForbidden, problem{Error: "a web page of another origin may not change anything here", Field: "Origin"})
			return
		}
		if m.name == wanted {
			m.serve(w, r, segment)
			return
		}
		if allow = append(allow, m.name); m.name == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	refuse(w, http.StatusMethodNotAllowed, problem{Error: "the path has no such method; Allow lists those it has"})
}

func (a *API) metrics(w http.ResponseWriter, r *http.Request, _ string) {
	a.opts.Metrics.ServeHTTP(w, r)
}
