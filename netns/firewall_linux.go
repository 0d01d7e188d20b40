package netns

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// nftLimit is when an nft that does not end is given up: it takes 20 ms. What
// it started may hold its output open for nftAfter longer: long enough for a
// loaded machine to read the rest.
const (
	nftLimit = 4 * time.Second
	nftAfter = 2 * time.Second
)

var (
	errSlowNFT = fmt.Errorf("nft does not end within %v", nftLimit)
	errIdleNFT = errors.New("nft reports success, and the kernel was given no rules")
)

// nftPaths are where nft(8) is looked for: an ordinary user's PATH often lacks
// the folders of the last two.
var nftPaths = []string{"nft", "/usr/sbin/nft", "/sbin/nft"}

// Firewall loads rules, a script of nft(8), all of it or nothing. Rules stay
// until the namespace ends, unless a later script changes them. It needs
// Network, and nft on the machine. When ctx ends, nft is killed, and so it is
// after a few seconds. That the rules are there the kernel says, not nft.
func (c *Child) Firewall(ctx context.Context, rules string) error {
	const step = "load firewall rules"
	if err := c.own(step, Network); err != nil {
		return err
	}
	nft, err := findNFT()
	if err != nil {
		return tried(step, err)
	}
	before, err := generation()
	if err != nil {
		return tried(step, err)
	}
	err = load(ctx, nft, rules)
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", step, context.Cause(ctx))
	}
	if err != nil {
		return tried(step, err)
	}
	after, err := generation()
	if err == nil && after == before {
		err = errIdleNFT
	}
	return tried(step, err)
}

// load runs nft.
func load(ctx context.Context, nft, rules string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, nftLimit, errSlowNFT)
	defer cancel()
	var output ends
	cmd := exec.CommandContext(ctx, nft, "-f", "-")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(rules), &output, &output
	cmd.WaitDelay = nftAfter
	err := cmd.Run()
	switch {
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return fmt.Errorf("nft: %w, having printed %s", err, &output)
	}
	return nil
}

// generation counts the changes of the namespace's rules, by nf_tables(8)'s own
// account: it is another number after each.
func generation() (uint32, error) {
	answer, err := ask(unix.NETLINK_NETFILTER, netlinkMessage(
		unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_GETGEN, unix.NLM_F_REQUEST,
		[]byte{unix.AF_UNSPEC, unix.NFNETLINK_V0, 0, 0}, // family, version, no resource
	))
	if err != nil {
		return 0, err
	}
	const head = unix.SizeofNlMsghdr + 4 // and struct nfgenmsg; then the attributes, of which the number is the first
	native := binary.NativeEndian
	if len(answer) < head+unix.SizeofNlAttr+4 || native.Uint16(answer[4:]) != unix.NFNL_SUBSYS_NFTABLES<<8|unix.NFT_MSG_NEWGEN ||
		native.Uint16(answer[head+2:]) != unix.NFTA_GEN_ID {
		return 0, errors.Join(errors.New("the kernel does not count its rules' changes"), acknowledged("nfnetlink", answer))
	}
	return binary.BigEndian.Uint32(answer[head+unix.SizeofNlAttr:]), nil
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
