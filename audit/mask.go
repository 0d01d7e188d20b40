package audit

import "regexp"

// secretField is a header field whose value nobody else is to read, as it
// stands in a command or in what one prints.
var secretField = regexp.MustCompile(`(?i)((?:proxy-)?authorization|(?:set-)?cookie)("?\s*[:=]\s*).+`)

// mask hides the values of such fields, to the end of their line.
func mask(s string) string { return secretField.ReplaceAllString(s, "${1}${2}…") }

func maskAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = mask(s)
	}
	return out
}
