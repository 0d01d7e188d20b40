package cmd

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersionCmd(a *app) *cobra.Command {
	var format *choice
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version, Go, the platform and the kernel",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.started = true
			e := thisEnv()
			if format.value == "json" {
				return writeJSON(a.stdout, struct {
					Schema int `json:"schema"`
					Env
				}{reportSchema, e}, "")
			}
			_, err := fmt.Fprintf(a.stdout, "retry-lab %s\n%s\n%s/%s\nkernel %s\n", e.Version, e.Go, e.OS, e.Arch, safe(e.Kernel))
			return err
		},
	}
	format = addFormat(c, "table", "json")
	return c
}
