package lpstest_test

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/bootpointer/bootpointer/lpstest"
)

const question = "api.example."

func lookup(t *testing.T, d *lpstest.DNS, network string) ([]netip.Addr, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return d.Resolver().LookupNetIP(ctx, network, question)
}

func TestDNSAddresses(t *testing.T) {
	t.Parallel()
	four, six := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	d := lpstest.StartDNS(t, lpstest.DNSAnswer{Addrs: []netip.Addr{four, six}})
	got, err := lookup(t, d, "ip")
	require.NoError(t, err)
	assert.ElementsMatch(t, []netip.Addr{four, six}, got)

	var types []dnsmessage.Type
	for _, q := range d.Queries() {
		assert.Equal(t, "api.example", q.Name)
		assert.Equal(t, "udp", q.Network)
		types = append(types, q.Type)
	}
	assert.ElementsMatch(t, []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA}, types)
}

func TestDNSLargeAnswerGoesOverTCP(t *testing.T) {
	t.Parallel()
	var addrs []netip.Addr
	for i := range 60 {
		addrs = append(addrs, netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}))
	}
	d := lpstest.StartDNS(t, lpstest.DNSAnswer{Addrs: addrs})
	got, err := lookup(t, d, "ip4")
	require.NoError(t, err)
	assert.Len(t, got, 60)
	assert.Equal(t, "tcp", d.Queries()[len(d.Queries())-1].Network)
}

func TestDNSFailures(t *testing.T) {
	t.Parallel()
	d := lpstest.StartDNS(t, lpstest.DNSAnswer{RCode: dnsmessage.RCodeNameError})
	_, err := lookup(t, d, "ip4")
	var dnsErr *net.DNSError
	require.ErrorAs(t, err, &dnsErr)
	assert.True(t, dnsErr.IsNotFound, "T6 NXDOMAIN: %v", err)

	d.Answer(lpstest.DNSAnswer{RCode: dnsmessage.RCodeServerFailure})
	_, err = lookup(t, d, "ip4")
	require.ErrorAs(t, err, &dnsErr)
	assert.False(t, dnsErr.IsNotFound)
	assert.True(t, dnsErr.IsTemporary, "SERVFAIL: %v", err)

	d.Answer(lpstest.DNSAnswer{Silent: true})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = d.Resolver().LookupNetIP(ctx, "ip4", question)
	require.ErrorAs(t, err, &dnsErr)
	assert.True(t, dnsErr.IsTimeout, "T6 silence: %v", err)

	d.Answer(lpstest.DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.7")}})
	got, err := lookup(t, d, "ip4")
	require.NoError(t, err)
	assert.Len(t, got, 1)
}

func TestDNSSeesEveryType(t *testing.T) {
	t.Parallel()
	d := lpstest.StartDNS(t, lpstest.DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}})
	_, err := d.Resolver().LookupTXT(t.Context(), "_grpc_config.api.example.")
	require.Error(t, err)
	assert.Equal(t, dnsmessage.TypeTXT, d.Queries()[0].Type)
}

func TestDNSOutlivesGarbage(t *testing.T) {
	t.Parallel()
	d := lpstest.StartDNS(t, lpstest.DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.1")}})
	for _, network := range []string{"udp", "tcp"} {
		conn, err := net.Dial(network, d.Addr())
		require.NoError(t, err)
		for _, garbage := range []string{"\x00", "\x00\x03abc", "\x00\x00", "\x00\x0c\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"} {
			_, err = conn.Write([]byte(garbage))
			require.NoError(t, err)
		}
		defer conn.Close()
	}
	_, err := lookup(t, d, "ip4")
	require.NoError(t, err)
}
