package nodeconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// labHost is the host in the files of testdata.
const labHost = "aks-lab-dns-0f0f0f0f.hcp.westeurope.azmk8s.io"

// sample returns a file of testdata with the CA put in.
func sample(t testing.TB, name, ca string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return []byte(strings.ReplaceAll(string(b), "@CA@", ca))
}

// largeNBCCmd returns a command of 300 KiB, the size of a cluster with many custom certificates and settings.
func largeNBCCmd(ca string) []byte {
	var b strings.Builder
	b.WriteString("LOG=\"/var/log/lab.log\"; echo $(date),$(hostname) > ${LOG}; ")
	content := encode(strings.Repeat("key = \"value\"\n", 200))
	for i := 0; b.Len() < 150<<10; i++ {
		b.WriteString("SETTING_A=some/value.1 SETTING_B=\"true\" SETTING_C= FLAG=<nil> CONTENT=\"" + content + "\" ")
	}
	b.WriteString("API_SERVER_NAME=" + labHost + " KUBE_CA_CRT=\"" + ca + "\" ")
	for b.Len() < 300<<10 {
		b.WriteString("SETTING_D=\"${LOG}\" SETTING_E='single' SETTING_F=acr.example.com/x:1.2.3 LONG=\"--a=b --c=d,e=f\" ")
	}
	b.WriteString("/usr/bin/nohup /bin/bash -c \"/bin/bash /opt/azure/containers/provision_start.sh\"")
	return []byte(b.String())
}

// TestSamples reads every real file under $BOOTPOINTER_SAMPLES.
func TestSamples(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("BOOTPOINTER_SAMPLES")
	if dir == "" {
		t.Skip("BOOTPOINTER_SAMPLES is not set")
	}
	const caFile = "nodeconfig/cluster-ca.pem"
	const missing = "api_server_config.api_server_name is missing; kubernetes_ca_cert is missing"
	want := map[string]string{ // file to error of Endpoint
		caFile:                                   "is not JSON from byte 2",
		"nodeconfig/full-camel.json":             "",
		"nodeconfig/full.json":                   "",
		"nodeconfig/minimal-fields-missing.json": missing,
		"nodeconfig/unexpected-fields.json":      missing,
		"nbc-cmd/azurelinux3-kata.sh":            "",
		"nbc-cmd/flatcar-customcloud.sh":         "",
		"nbc-cmd/mariner2-ussec.sh":              "",
		"nbc-cmd/ubuntu2204-mig.sh":              "",
	}
	bundle, err := os.ReadFile(filepath.Join(dir, caFile))
	require.NoError(t, err)
	cas, err := ParseCAs(bundle)
	require.NoError(t, err)

	var files []string
	for _, folder := range []string{"nodeconfig", "nbc-cmd"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		require.NoError(t, err)
		for _, e := range entries {
			files = append(files, folder+"/"+e.Name())
		}
	}
	require.Len(t, files, len(want))
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantErr, known := want[name]
			require.True(t, known, "nothing is known about this file")
			path := filepath.Join(dir, name)
			f := New(WithPath(path), WithNBCCmdPath(filepath.Join(dir, "absent")))
			if strings.HasPrefix(name, "nbc-cmd/") {
				f = New(WithPath(filepath.Join(dir, "absent")), WithNBCCmdPath(path))
			}
			endpoint, err := f.Endpoint(t.Context())
			if wantErr != "" {
				require.ErrorContains(t, err, path)
				require.ErrorContains(t, err, wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "aks-demo-dns-1a2b3c4d.hcp.southcentralus.azmk8s.io", endpoint.Host)
			require.Len(t, endpoint.CAs, 1)
			assert.True(t, cas[0].Equal(endpoint.CAs[0]))
			pointer, err := f.Pointer(t.Context())
			require.NoError(t, err)
			assert.Nil(t, pointer)
		})
	}
}
