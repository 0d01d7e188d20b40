// Package cmd is the command line of retry-lab: flags in, one call of a package
// below, a renderer, an exit code out. Nothing below it prints, exits or reads
// flags and environment, and here only [Main] knows a process.
//
// The rules of the interface, in one place:
//
//   - Results go to stdout, everything else to stderr.
//   - A message is one line, lower-case, without a full stop:
//     "retry-lab: what is wrong (what to do)".
//   - Exit codes: 0 all agree; 1 drift, or an unsound verdict; 2 wrong usage; 3 the
//     lab itself could not run; 130 interrupted; 141 stdout was closed.
//   - Colour is never the only signal, and only short words have it.
//   - No text from a network, a file or an argument is printed before [safe] has
//     seen it, and no idempotency key at all.
package cmd
