package scenarios

import (
	"context"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// linuxChildren are those of childGroup that need what only Linux has.
func linuxChildren() []*Case {
	return []*Case{
		inChild(Case{ID: "test-child/no-null"}, netns.Spec{Namespaces: netns.Mount, NoFile: 64}, func(context.Context, *Env, *netns.Child) (Run, error) {
			if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
				return Run{}, err
			}
			if err := unix.Mount("tmpfs", "/dev", "tmpfs", 0, ""); err != nil {
				return Run{}, err
			}
			free, err := openAll()
			if err != nil {
				return Run{}, err
			}
			return Run{}, free()
		}),
	}
}
