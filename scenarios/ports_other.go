//go:build !linux

package scenarios

import (
	"errors"
	"fmt"
	"net"
)

// dialerFrom needs Linux: no other system lets a socket choose its range.
func dialerFrom(int) (*net.Dialer, error) {
	return nil, fmt.Errorf("set IP_LOCAL_PORT_RANGE: %w", errors.ErrUnsupported)
}
