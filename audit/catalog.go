package audit

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Cases lists every case, controls first.
func Cases() []Case {
	return slices.Concat(controlCases(), statusCases(), waitCases(), unknownCases(), safeCases(), replayCases(),
		bodyCases(), backoffCases(), redirectCases(), connectCases())
}

// Select returns the cases that globs name, in their order, a group's name
// standing for all of it; without any, all of them. The controls that the
// grades rest on are always among them.
func Select(cases []Case, globs []string) ([]Case, error) {
	if len(globs) == 0 {
		return cases, nil
	}
	chosen := map[string]bool{}
	for _, g := range globs {
		found := false
		for _, c := range cases {
			ok, err := path.Match(g, c.ID)
			if err != nil {
				return nil, &UnknownCaseError{g}
			}
			if ok || strings.HasPrefix(c.ID, g+"/") {
				chosen[c.ID], found = true, true
			}
		}
		if !found {
			return nil, &UnknownCaseError{g}
		}
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		return !chosen[c.ID] && !restsOn(cases, chosen, c.ID)
	}), nil
}

// An UnknownCaseError is a glob that names no case.
type UnknownCaseError struct{ Glob string }

func (e *UnknownCaseError) Error() string { return fmt.Sprintf("no case is called %q", e.Glob) }

// restsOn: one of the chosen cases needs the control.
func restsOn(cases []Case, chosen map[string]bool, control string) bool {
	switch control {
	case "control/ok", "control/fails",
		// What tells a replay from a retry, wherever a connection dies.
		"control/retries-" + Retry503, "control/retries-" + RetryReset:
		return true
	}
	for _, c := range cases {
		switch {
		case !chosen[c.ID]:
		case c.Control != "" && control == "control/retries-"+c.Control,
			control == "control/retries-"+RetryTimeout && strings.HasPrefix(c.ID, "replay/"),
			control == "control/tls-ok" && (c.Where == OverH2 || c.Where == OverTLS || c.Where == Untrusted),
			control == "wait/on-503" && c.ID == "deadline/honest":
			return true
		}
	}
	return false
}
