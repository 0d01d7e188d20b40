package cmd

import "io"

// formats are the ways to print a report, the default first.
func formats() []string { return []string{"table", "json", "markdown", "junit", "github"} }

// rendererOf finds the renderer of a format.
func rendererOf(format string, v view) func(io.Writer, Report) error {
	switch format {
	case "json":
		return renderJSON
	case "markdown":
		return renderMarkdown
	case "junit":
		return renderJUnit
	case "github":
		return renderGitHub
	}
	return renderTable(v)
}

// printBroken says that the lab could not run in the formats that a CI system
// reads; a person reads the message.
func (a *app) printBroken(format string, r Report) error {
	switch format {
	case "junit":
		return renderJUnit(a.stdout, r)
	case "github":
		return renderGitHub(a.stdout, r)
	}
	return nil
}
