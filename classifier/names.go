package classifier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FromNames makes a failure of its names, for input that has no error value: a
// line of a log, a flag. call and phase may be empty: the phase is then what
// the code or the call says for certain, else unknown. A code HTTP_nnn is a
// response without headers.
//
// An error says which name is not in its list (see [Codes], [Syscalls],
// [Phases]), or that the three cannot belong together.
func FromNames(code Code, call Syscall, phase Phase) (Failure, error) {
	if call != "" && !slices.Contains(Syscalls(), call) {
		return Failure{}, fmt.Errorf("unknown syscall %q", call)
	}
	if phase != "" && !slices.Contains(Phases(), phase) {
		return Failure{}, fmt.Errorf("unknown phase %q", phase)
	}
	if digits, ok := strings.CutPrefix(string(code), HTTPPrefix); ok {
		return fromStatusName(code, digits, call, phase)
	}
	row := rowOfCode(code)
	if row == nil {
		return Failure{}, fmt.Errorf("unknown code %q", code)
	}
	if row.phase == PhaseResolve && call == "" {
		call = Getaddrinfo
	}
	if phase == "" {
		phase = certainPhase(row, call)
	}
	if call != "" && !slices.Contains(phasesOf(call), phase) {
		return Failure{}, fmt.Errorf("syscall %q does not fail in phase %q", call, phase)
	}
	if phase == PhaseAnswered && code != RedirectLoop {
		return Failure{}, fmt.Errorf("code %q is not an answer", code)
	}
	o := namedOutcome(row, phase)
	return Failure{Code: code, Syscall: call, Phase: phase, Processed: o.processed, Basis: o.basis}, nil
}

func fromStatusName(code Code, digits string, call Syscall, phase Phase) (Failure, error) {
	status, err := strconv.Atoi(digits)
	if err != nil || len(digits) != 3 || status < 100 {
		return Failure{}, fmt.Errorf("unknown code %q: a status has three digits, from 100", code)
	}
	if call != "" || phase != "" && phase != PhaseAnswered {
		return Failure{}, fmt.Errorf("code %q is an answer: it has no syscall, and its phase is %q", code, PhaseAnswered)
	}
	return FromResponse(Response{Status: status}), nil
}

// certainPhase is the phase that the code or the call leaves no doubt about. A
// failed read may be the handshake's, the head's or the body's.
func certainPhase(row *codeRow, call Syscall) Phase {
	switch {
	case call == Getaddrinfo:
		return PhaseResolve
	case call == Socket || call == Connect:
		return PhaseConnect
	case row.phase != "":
		return row.phase
	case call == Write:
		return PhaseWrite
	}
	return PhaseUnknown
}

// phasesOf lists where a call can fail.
func phasesOf(call Syscall) []Phase {
	switch call {
	case Getaddrinfo:
		return []Phase{PhaseResolve}
	case Socket, Connect:
		return []Phase{PhaseConnect, PhaseProxy}
	}
	return []Phase{PhaseProxy, PhaseTLS, PhaseWrite, PhaseAwait, PhaseReadHead, PhaseReadBody, PhaseUnknown}
}

// namedOutcome says by code and phase alone whether a server may have acted.
func namedOutcome(row *codeRow, phase Phase) outcome {
	switch phase {
	case PhasePrepare, PhaseResolve, PhaseConnect, PhaseProxy, PhaseTLS, PhasePool:
		return notSent
	case PhaseReadBody:
		return answered
	}
	if row.refused {
		return notSent
	}
	return perhaps
}

// Source names where the failure is described: an RFC section, a manual page,
// a vendor's code. The rule that decided has its own, see [Reason.Source].
func (f Failure) Source() string {
	switch {
	case f.isAnswer() && registered(f.Status):
		return statusTable[f.Status].source
	case f.isAnswer():
		return "RFC 9110 section 15"
	}
	if row := rowOfCode(f.Code); row != nil {
		return row.source
	}
	return unknownRow.source
}
