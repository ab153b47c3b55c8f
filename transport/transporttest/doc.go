// Package transporttest has what tests around transports need: [Run], the suite that every transport passes, and
// [Fake], a scripted transport for the tests of whoever uses one.
//
// A test for a transport of one's own:
//
//	func TestConformance(t *testing.T) {
//		transporttest.Run(t, transporttest.Harness{
//			Component: "aksNodeController",
//			New: func(t *testing.T, s transporttest.Situation, body []byte) transport.Transport {
//				… // a source in situation s, and a transport that asks it; nil where the two do not go together
//			},
//		})
//	}
//
// The suite looks at one transport at a time; go.uber.org/goleak in TestMain finds the goroutines one left behind.
package transporttest
