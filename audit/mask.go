package audit

import (
	"regexp"
	"strings"
)

// secretField is a header field whose value nobody else is to read, or a
// credential of another name, as it stands in a command or in what one prints.
var secretField = regexp.MustCompile(`(?i)((?:proxy-)?authorization|(?:set-)?cookie|` + secretNames + `)("?\s*[:=]\s*).+`)

const secretNames = `[a-z-]*api[_-]?key|[a-z-]*(?:access|auth|session|security)[_-]?token|[a-z_-]*(?:password|passwd|secret)`

// secretFlag is an option whose value is the next argument, and a credential.
var secretFlag = regexp.MustCompile(`(?i)^--?(?:cookie|(?:proxy-)?user|oauth2-bearer|bearer|token|(?:proxy-)?authorization|` + secretNames + `)(=.*)?$`)

// secretPair is a short option, as of curl, and its value, with a space between
// them: others have such an option too, of which the value is no such pair.
var secretPair = regexp.MustCompile(`^(?:-[uU] [^/:\s]+:[^/]+|-b [^/=\s]+=.*)$`)

// mask hides the values of such fields, to the end of their line.
func mask(s string) string { return secretField.ReplaceAllString(s, "${1}${2}…") }

// maskAll is a command without its credentials.
func maskAll(command []string) []string {
	out := make([]string, len(command))
	for i, arg := range command {
		out[i] = mask(arg)
		if name, _, ok := strings.Cut(arg, "="); ok && secretFlag.MatchString(arg) {
			out[i] = name + "=…"
		}
		if i == 0 || strings.Contains(arg, "{") { // a placeholder is no secret
			continue
		}
		before := command[i-1]
		if secretFlag.MatchString(before) && !strings.Contains(before, "=") || secretPair.MatchString(before+" "+arg) {
			out[i] = "…"
		}
	}
	return out
}
