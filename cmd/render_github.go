package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// renderGitHub prints what fails the run as workflow commands of GitHub
// Actions, which show it beside the line of the golden table, and the verdict.
func renderGitHub(w io.Writer, r Report) error {
	var b bytes.Buffer
	for _, g := range r.Groups {
		for _, d := range g.Drift {
			annotate(&b, "error", fmt.Sprintf("%s: want %s, got %s", d.Column, d.Want, d.Got),
				"file", d.File, "line", strconv.Itoa(d.Line), "title", "drift in "+d.Row)
		}
	}
	for _, f := range r.findings() {
		annotate(&b, "error", f.row+": "+f.text, "title", f.kind)
	}
	if !r.Strict {
		for _, c := range r.Sound.RefutedClaims {
			annotate(&b, "notice", c.Row+": "+c.Why, "title", "refuted claim")
		}
	}
	if r.Broken != "" {
		annotate(&b, "error", r.Broken, "title", "the lab could not run")
	}
	fmt.Fprintln(&b, safe(r.verdict()))
	_, err := w.Write(b.Bytes())
	return err
}

// annotate prints one workflow command with properties in pairs. What follows
// the command's name cannot begin another one: newlines are escaped twice.
func annotate(b *bytes.Buffer, command, message string, properties ...string) {
	var list []string
	for i := 0; i < len(properties); i += 2 {
		list = append(list, properties[i]+"="+propertyEscapes.Replace(safe(properties[i+1])))
	}
	fmt.Fprintf(b, "::%s %s::%s\n", command, strings.Join(list, ","), messageEscapes.Replace(safe(message)))
}

// The escapes of GitHub's own toolkit.
var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
