package audit

import "testing"

func TestRunsAtATimeByOpenFiles(t *testing.T) {
	for files, want := range map[int]int{0: mostAlive, 3: 1, 64: 2, 128: 6, 1024: 62, 1 << 20: mostAlive} {
		if got := alive(files); got != want {
			t.Errorf("%d open files: %d runs at a time, want %d", files, got, want)
		}
	}
}
