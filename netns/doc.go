// Package netns runs a part of the program in a child process of its own: in
// private namespaces (user, mount, pid, network) or with few descriptors, so
// that a fault of the machine can be real without touching the machine.
//
// The parent starts its own binary again and reads what the child answers:
//
//	row, err := netns.Run(ctx, netns.Spec{
//		Args:       []string{"child", "connect/host-unreachable"},
//		Namespaces: netns.Network,
//	})
//
// The child, before anything else, enters; then it takes its steps:
//
//	child, err := netns.Enter()
//	err = child.LoopbackUp()
//	err = child.AddRoute(netip.MustParsePrefix("192.0.2.0/24"), netns.Unreachable)
//	...
//	_, err = child.Result().Write(row)
//
// Each step is tried, never predicted: whether a machine allows it is known
// only afterwards, and what fails is an [Unavailable] that names the step. A
// step refuses to run where the namespace it changes is the parent's.
//
// The child dies with its parent in three ways, each enough by itself: the
// kernel kills it when the thread that started it ends, its process namespace
// goes with it, and it exits when its standard input ends. What it mounted,
// routed or filtered goes with its namespaces; nothing is on any disk.
//
// Linux only. Elsewhere everything fails with an Unavailable, "needs linux".
package netns
