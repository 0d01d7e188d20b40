// Command docs writes docs/matrix.md and docs/trace.md, the failure matrix as
// pages that people can link to, and docs/errors.md, the dictionary of error
// texts. What they say comes from the golden tables, the cases' definitions, the
// classifier and the tables of package explain; nothing is typed by hand.
//
//	docs            writes the pages
//	docs -check     exits with 1 where a page is not what it would write
//
// The exit code is 0, or 1 where a page is out of date, 2 for wrong usage, 3
// where the pages could not be made.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/explain"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

func main() { os.Exit(docs(os.Args[1:], os.Stderr)) }

// docs reads the arguments and makes or checks the pages. It returns the exit
// code.
func docs(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("docs", flag.ContinueOnError)
	flags.SetOutput(stderr)
	from := flags.String("golden", "golden", "`folder` of the golden tables")
	platform := flags.String("platform", "linux", "`platform` whose tables are used")
	to := flags.String("out", "docs", "`folder` of the pages")
	check := flags.Bool("check", false, "write nothing, only say what is out of date")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	pages, err := makePages(*from, *platform)
	if err != nil {
		fmt.Fprintln(stderr, "docs:", err)
		return 3
	}
	code := 0
	for _, p := range pages {
		name := filepath.Join(*to, p.name)
		if *check {
			err = current(name, p.text)
		} else {
			err = write(name, p.text)
		}
		var old *outdated
		switch {
		case errors.As(err, &old):
			fmt.Fprintf(stderr, "docs: %v\n%s", old, old.hint())
			code = 1
		case err != nil:
			fmt.Fprintln(stderr, "docs:", err)
			return 3
		}
	}
	return code
}

// A page is a file and its text.
type page struct{ name, text string }

func makePages(from, platform string) ([]page, error) {
	set, err := golden.Open(from)
	if err != nil {
		return nil, err
	}
	l, err := load(set, platform, matrix(scenarios.Groups()))
	if err != nil {
		return nil, err
	}
	var errors strings.Builder
	if err := explain.WriteDictionary(&errors); err != nil {
		return nil, err
	}
	return []page{{"matrix.md", l.matrix()}, {"trace.md", l.trace()}, {"errors.md", errors.String()}}, nil
}

// matrix leaves out the groups on request, which the pages are not about.
func matrix(groups []scenarios.Group) []scenarios.Group {
	return slices.DeleteFunc(groups, func(g scenarios.Group) bool { return g.OnRequest })
}

// An outdated page is one that would be written otherwise.
type outdated struct{ name, diff string }

func (o *outdated) Error() string { return o.name + " is out of date, make docs writes it anew" }

// hint is the beginning of the difference.
func (o *outdated) hint() string {
	const most = 40
	lines := strings.SplitAfter(o.diff, "\n")
	if len(lines) <= most {
		return o.diff
	}
	return strings.Join(lines[:most], "") + fmt.Sprintf("… and %d lines more\n", len(lines)-most)
}

// current returns an *outdated where the file does not hold the text.
func current(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(old) == text {
		return nil
	}
	return &outdated{name, golden.Diff(old, []byte(text), filepath.ToSlash(name))}
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
