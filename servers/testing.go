package servers

import "io"

// TB is the part of testing.TB that Must uses.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
}

// Must ends the test if a server cannot start, and closes it with the test:
//
//	srv := servers.Must[*servers.Server](t)(servers.NewReset(servers.Options{}))
func Must[S io.Closer](t TB) func(S, error) S {
	return func(s S, err error) S {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
		return s
	}
}
