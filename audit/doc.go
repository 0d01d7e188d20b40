// Package audit runs somebody else's client against the fault servers and
// judges it by what those saw.
//
// A [Case] is data: a request, the faults that meet its deliveries, how often
// it is run, and how it is graded. A run of it starts the command once, in a
// process group of its own, with the request in its arguments and environment,
// and gives an [Observation]: the ledger, read after the last process of the
// run was gone, how the command ended, and what it printed. Grades are pure
// functions of observations; they do not know which client it was. All cases
// together give a [Report].
//
// # What is never taken from the client
//
// Deliveries, side effects, gaps, keys and bodies are the server's count. Of
// the client only its exit code is believed, and that only where control/fails
// shows that it means something; and even then the body that it printed is
// compared with the tokens of the deliveries that were answered in full.
//
// # Processes
//
// A run ends when its command does, when a danger is proved, or when it is
// cut. Its process group is killed, on Linux also whatever left the group, and
// the ledger is read when no connection of the run is open any more: a request
// that was still on its way is counted.
package audit
