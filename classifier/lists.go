package classifier

// Codes returns every code but the HTTP_ ones, sorted: HTTP_ with any status
// of three digits is a code too.
func Codes() []Code {
	codes := make([]Code, len(codeTable))
	for i := range codeTable {
		codes[i] = codeTable[i].code
	}
	return codes
}

// Phases returns the phases in the order in which a call goes through them.
func Phases() []Phase {
	return []Phase{
		PhasePrepare, PhasePool, PhaseResolve, PhaseConnect, PhaseProxy, PhaseTLS,
		PhaseWrite, PhaseAwait, PhaseReadHead, PhaseReadBody, PhaseAnswered, PhaseUnknown,
	}
}

// Syscalls returns the calls that can fail. Empty, for none, is not in the
// list.
func Syscalls() []Syscall {
	return []Syscall{Getaddrinfo, Socket, Connect, Write, Read}
}

// Verdicts returns the verdicts, from the best to the most final.
func Verdicts() []Verdict {
	return []Verdict{Done, Retry, RetryModified, Ambiguous, Fail, Stop}
}

// Modifications returns what a RetryModified can ask for.
func Modifications() []Modification {
	return []Modification{ModifyLength, ModifyExpect, ModifyConnection, ModifyHTTP1, ModifyNotEarly}
}

// Reasons returns every reason, in the order of the verdicts they lead to.
func Reasons() []Reason {
	reasons := make([]Reason, len(reasonRows))
	for i := range reasonRows {
		reasons[i] = reasonRows[i].reason
	}
	return reasons
}
