package cmd

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/servers/service"
)

// served is what `serve -o json` prints: where everything is.
type served struct {
	Schema    int                 `json:"schema"`
	PID       int                 `json:"pid"`
	Listen    string              `json:"listen"`  // the IP address
	CAFile    string              `json:"ca_file"` // absolute; empty: none was asked for
	CAPEM     string              `json:"ca_pem"`
	Endpoints []servedEndpoint    `json:"endpoints"`
	Faults    []servers.FaultInfo `json:"faults"` // paths of the origin
}

type servedEndpoint struct {
	Name string `json:"name"`
	Says string `json:"says"`
	URL  string `json:"url"`
}

func newServed(svc *service.Service, host string) served {
	s := served{Schema: reportSchema, PID: os.Getpid(), Listen: host, CAPEM: string(svc.Authority.PEM()), Faults: servers.Faults()}
	for _, e := range svc.Endpoints() {
		s.Endpoints = append(s.Endpoints, servedEndpoint(e))
	}
	return s
}

// table prints it for a person.
func (s served) table(w io.Writer, v view) error {
	ports := grid{header: []string{"port", "url", "what is there"}, prose: map[int]int{2: 24}}
	control := ""
	for _, e := range s.Endpoints {
		ports.rows = append(ports.rows, []string{e.Name, e.URL, e.Says})
		if e.Name == "control" {
			control = e.URL
		}
	}
	faults := grid{header: []string{"path of the origin", "what it does", "HTTP"}, prose: map[int]int{1: 24}}
	for _, f := range s.Faults {
		faults.rows = append(faults.rows, []string{faultPath(f.Name), f.Says, strings.Join(f.Protocols, ", ")})
	}
	faults.rows = append(faults.rows, []string{"/c/ID/…", "the call ID: what its script says", "1.1, 2"})

	var b bytes.Buffer
	for _, g := range []grid{faults, ports} { // the shorter one last: a terminal may show no more
		if err := g.write(&b, v.width); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	v.lines(&b, "a call  ", "curl -d '[\"503\",\"reset\",\"200\"]' "+control+"/calls")
	v.lines(&b, "ledger  ", "curl "+control+"/calls/ID")
	v.lines(&b, "trust   ", s.trust())
	v.lines(&b, "end     ", "an interrupt, or kill "+strconv.Itoa(s.PID))
	_, err := w.Write(b.Bytes())
	return err
}

// faultPath is where the origin has a fault; the statuses share a row.
func faultPath(name string) string {
	if name == "200 to 999" {
		return "/200 to /999"
	}
	return "/" + name
}

func (s served) trust() string {
	if s.CAFile == "" {
		return "--ca-file FILE writes the certificate to trust"
	}
	return safe(s.CAFile)
}

// env prints it as assignments for a POSIX shell.
func (s served) env() string {
	var b strings.Builder
	set := func(name, value string) {
		b.WriteString("export RETRY_LAB_" + name + "=" + shellQuoted(value) + "\n")
	}
	set("PID", strconv.Itoa(s.PID))
	for _, e := range s.Endpoints {
		set(strings.ToUpper(strings.ReplaceAll(e.Name, "-", "_"))+"_URL", e.URL)
	}
	if s.CAFile != "" {
		set("CA_FILE", s.CAFile)
	}
	return b.String()
}

// shellQuoted is one word of a POSIX shell, whatever is in s (IEEE Std 1003.1
// XCU section 2.2.2).
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
