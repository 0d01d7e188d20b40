package netns

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// nftPaths are where nft(8) is looked for: an ordinary user's PATH often lacks
// the folders of the last two.
var nftPaths = []string{"nft", "/usr/sbin/nft", "/sbin/nft"}

// Firewall loads rules, a script of nft(8), all of it or nothing. Rules stay
// until the namespace ends, unless a later script changes them. It needs
// Network, and nft on the machine. When ctx ends, nft is killed.
func (c *Child) Firewall(ctx context.Context, rules string) error {
	const step = "load firewall rules"
	if err := c.own(step, Network); err != nil {
		return err
	}
	nft, err := findNFT()
	if err != nil {
		return tried(step, err)
	}
	var output ends
	cmd := exec.CommandContext(ctx, nft, "-f", "-")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(rules), &output, &output
	err = cmd.Run()
	switch {
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("%s: %w", step, context.Cause(ctx))
	case err != nil:
		return tried(step, fmt.Errorf("nft: %w, having printed %s", err, &output))
	}
	return nil
}

// findNFT returns the path of nft, or the reason why PATH has none.
func findNFT() (string, error) {
	var first error
	for _, name := range nftPaths {
		found, err := exec.LookPath(name)
		if err == nil {
			return found, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}
