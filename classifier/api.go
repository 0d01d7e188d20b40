package classifier

import "net/http"

// Reason is the rule that decided, one short kebab-case word.
type Reason string

// FromError ...
func FromError(err error, ev Evidence) Failure { panic("to write") }

// FromResponse ...
func FromResponse(r Response) Failure { panic("to write") }

// FromNames ...
func FromNames(code Code, call Syscall, phase Phase) (Failure, error) { panic("to write") }

// Decide ...
func Decide(f Failure, r Request, p Policy) Decision { panic("to write") }

// RequestOf ...
func RequestOf(r *http.Request, keyHonoured bool) Request { panic("to write") }
