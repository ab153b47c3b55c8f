package probe

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/bootpointer/bootpointer/source/nodeconfig"
	"github.com/bootpointer/bootpointer/transport"
)

// reasonConfig is what both layers of the node config fail with.
const reasonConfig = string(transport.ReasonConfig)

// maxListed is how many of a kind (certificates, names, addresses, members) a report lists.
const maxListed = 10

// readConfig says which file was read and which fields it has. No content of a field is shown but the API server's name.
func (p *run) readConfig(ctx context.Context) (l Layer) {
	l = p.begin(LayerConfig, "")
	defer p.end(ctx, &l)
	l.Tried = "read " + p.NodeConfig + ", or " + p.NBCCmd + " where that is absent"
	type read struct {
		nodeconfig.Config
		err error
	}
	got, inTime := within(ctx, diskTime, func(ctx context.Context) read {
		file := nodeconfig.New(nodeconfig.WithPath(p.NodeConfig), nodeconfig.WithNBCCmdPath(p.NBCCmd))
		c, err := file.Read(ctx)
		return read{c, err}
	})
	switch {
	case !inTime || errors.Is(got.err, context.DeadlineExceeded):
		l.fail(reasonConfig, "hangs", "reading it takes more than "+diskTime.String())
		return l
	case errors.Is(got.err, fs.ErrNotExist):
		l.fail(reasonConfig, "no-file", got.err.Error())
		return l
	case got.err != nil:
		l.fail(reasonConfig, "", got.err.Error())
		return l
	}
	p.config = got.Config
	l.detail("file", got.Path)
	l.detail("fields", p.fields())
	endpoint, err := got.Endpoint(ctx)
	switch {
	case got.Host == "":
		l.fail(reasonConfig, "host", err.Error())
		return l
	case err == nil:
		p.endpoint = endpoint
	}
	l.detail("api_server", got.Host)
	l.ok(got.Path + " names the API server " + got.Host)
	return l
}

// fields are the names of the fields that are there and usable, as the file that was read calls them.
func (p *run) fields() []string {
	host, cas := "api_server_config.api_server_name", "kubernetes_ca_cert"
	if p.config.Path == p.NBCCmd {
		host, cas = "API_SERVER_NAME", "KUBE_CA_CRT"
	}
	found := []string{}
	if p.config.Host != "" {
		found = append(found, host)
	}
	if len(p.config.CAs) > 0 {
		found = append(found, cas)
	}
	if p.config.Hotfixes != nil {
		found = append(found, "hotfixes")
	}
	return found
}

// lookAtCAs says whom the node trusts, and whether their time has come or is over.
func (p *run) lookAtCAs(ctx context.Context) (l Layer) {
	l = p.begin(LayerCA, "")
	defer p.end(ctx, &l)
	l.Tried = "look at the cluster's certificate authorities in the node config"
	if p.config.Path == "" {
		l.skip("no node config")
		return l
	}
	if len(p.config.CAs) == 0 {
		_, err := p.config.Endpoint(ctx)
		l.fail(reasonConfig, "", err.Error())
		return l
	}
	now := time.Now()
	var list []string
	early, late := 0, 0
	for _, ca := range p.config.CAs {
		if len(list) < maxListed {
			list = append(list, fmt.Sprintf("%.80s, valid %s", ca.Subject, validity(ca)))
		}
		switch {
		case now.Before(ca.NotBefore):
			early++
		case now.After(ca.NotAfter):
			late++
		}
	}
	l.detail("certificates", len(p.config.CAs))
	l.detail("subjects", list)
	switch n := len(p.config.CAs); {
	case early == n:
		l.fail(string(transport.ReasonCertNotYetValid), "", "none is valid yet: "+list[0])
	case early+late == n:
		l.fail(string(transport.ReasonCertExpired), "", "all have expired: "+list[0])
	case early+late > 0:
		l.warn(fmt.Sprintf("%d of %d are not valid now: %s", early+late, n, list[0]))
	case n == 1:
		l.ok(list[0])
	default:
		l.ok(fmt.Sprintf("%d, the first: %s", n, list[0]))
	}
	return l
}

// validity is when a certificate is valid.
func validity(c *x509.Certificate) string {
	return c.NotBefore.UTC().Format(time.DateOnly) + " to " + c.NotAfter.UTC().Format(time.DateOnly)
}
