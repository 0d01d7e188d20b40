// Package golden holds the golden tables: for each group of cases, what a run
// on one platform is expected to show. It parses, writes, compares and updates
// them. It runs nothing: a caller hands in what was observed.
//
// # The file
//
// A table is a Markdown file, <platform>/<group>.md:
//
//	# network: what the client sees when the network fails
//
//	Golden table of retry-lab, recorded from real runs by `retry-lab golden update`. Source: tcp(7).
//
//	| id              | code         | syscall         | message |
//	| --------------- | ------------ | --------------- | --- |
//	| network/refused | ECONNREFUSED | connect         | dial tcp 127.0.0.1:PORT: connect: connection refused |
//	| network/unread  | ECONNRESET   | read or write   | * |
//
// The platform is an operating system as runtime.GOOS names it, or a folder
// below one for another client than Go ("linux/curl").
//
// # The cell
//
//	connect            that value
//	-                  the empty value
//	read or write      any of these values
//	15..21             an integer from 15 to 21, both included
//	*                  anything
//
// A backslash takes a character literally: \| and \\ and \< for themselves, \*
// and \- for a value that is nothing but * or -, \or for the word "or" in a
// value, \15..21 for a value that looks like a range, backslash and space for a
// space at either end. A newline is <br>. What cannot be printed is \u{1b}, a
// byte that is not UTF-8 is \x{ff}. Any other use of a backslash is an error.
//
// Reading is strict: a column or a word that the caller's [Vocabulary] does not
// have is a [SyntaxError] naming the file and the line, because a misspelt word
// in a golden table would otherwise never be noticed.
package golden
