package nodeconfig

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onDisk returns a node config of two files, without those whose content is nil.
func onDisk(t testing.TB, config, nbcCmd []byte) *File {
	t.Helper()
	dir := t.TempDir()
	f := New(WithPath(filepath.Join(dir, "config.json")), WithNBCCmdPath(filepath.Join(dir, "nbc-cmd.sh")))
	if config != nil {
		require.NoError(t, os.WriteFile(f.path, config, 0o600))
	}
	if nbcCmd != nil {
		require.NoError(t, os.WriteFile(f.nbcCmdPath, nbcCmd, 0o600))
	}
	return f
}

func TestDefaultPaths(t *testing.T) {
	t.Parallel()
	f := New()
	assert.Equal(t, "/opt/azure/containers/aks-node-controller-config.json", f.path)
	assert.Equal(t, "/opt/azure/containers/aks-node-controller-nbc-cmd.sh", f.nbcCmdPath)
}

func TestRead(t *testing.T) {
	t.Parallel()
	ca := encode(newCA(t, "cluster-ca"))
	config := sample(t, "config-snake.json", ca)
	nbcCmd := sample(t, "nbc-cmd.sh", ca)
	const pointer = `{"hotfixes":{"202604.01": "202604.01.1",  "202605.03": "202605.03.2"}}`

	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, config, nil)
		c, err := f.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, f.path, c.Path)
		assert.Equal(t, labHost, c.Host)
		assert.Len(t, c.CAs, 1)
		assert.NotNil(t, c.Hotfixes)
		got, err := f.Pointer(t.Context())
		require.NoError(t, err)
		assert.Equal(t, pointer, string(got))
	})
	t.Run("nbc-cmd", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, nbcCmd)
		c, err := f.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, f.nbcCmdPath, c.Path)
		assert.Equal(t, labHost, c.Host)
		assert.Len(t, c.CAs, 1)
		assert.Nil(t, c.Hotfixes)
		got, err := f.Pointer(t.Context())
		require.NoError(t, err)
		assert.Nil(t, got)
	})
	t.Run("JSON before nbc-cmd", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, config, []byte("API_SERVER_NAME=other.example"))
		c, err := f.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, f.path, c.Path)
		assert.Equal(t, labHost, c.Host)
	})
	t.Run("C1 broken JSON is not replaced by nbc-cmd", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, []byte(`{"s3cr3t`), nbcCmd)
		const want = ": is not JSON from byte 8 of 8 on"
		_, err := f.Endpoint(t.Context())
		require.EqualError(t, err, "node config "+f.path+want)
		_, err = f.Pointer(t.Context())
		require.EqualError(t, err, "node config "+f.path+want)
	})
	t.Run("incomplete JSON is not replaced by nbc-cmd", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, sample(t, "config-missing.json", ca), nbcCmd)
		c, err := f.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, f.path, c.Path)
		_, err = f.Endpoint(t.Context())
		require.EqualError(t, err, "node config "+f.path+": api_server_config.api_server_name is missing; kubernetes_ca_cert is missing")
	})
	t.Run("hotfixes of the wrong shape", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, []byte(`{"hotfixes":"s3cr3t"}`), nil)
		_, err := f.Pointer(t.Context())
		require.EqualError(t, err, "node config "+f.path+": hotfixes is not an object")
	})
	t.Run("nbc-cmd without the variables", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, []byte("SECRET=s3cr3t run"))
		_, err := f.Endpoint(t.Context())
		require.EqualError(t, err, "node config "+f.nbcCmdPath+": has no assignment to API_SERVER_NAME or KUBE_CA_CRT")
	})
	t.Run("neither file", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, nil)
		_, err := f.Endpoint(t.Context())
		require.ErrorIs(t, err, fs.ErrNotExist)
		assert.ErrorContains(t, err, f.path)
		assert.ErrorContains(t, err, f.nbcCmdPath)
		got, err := f.Pointer(t.Context())
		require.NoError(t, err)
		assert.Nil(t, got)
	})
	t.Run("neither folder", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "absent")
		f := New(WithPath(filepath.Join(dir, "a")), WithNBCCmdPath(filepath.Join(dir, "b")))
		_, err := f.Read(t.Context())
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
	t.Run("empty files", func(t *testing.T) {
		t.Parallel()
		_, err := onDisk(t, []byte{}, nbcCmd).Read(t.Context())
		require.ErrorContains(t, err, "config.json: is empty")
		_, err = onDisk(t, nil, []byte{}).Read(t.Context())
		require.ErrorContains(t, err, "nbc-cmd.sh: has no assignment")
	})
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		_, err := New(WithPath(t.TempDir())).Read(t.Context())
		require.ErrorContains(t, err, "neither a regular file nor a pipe")
	})
	t.Run("the largest file", func(t *testing.T) {
		t.Parallel()
		largest := make([]byte, maxFile)
		for i := copy(largest, config); i < len(largest); i++ {
			largest[i] = ' '
		}
		_, err := onDisk(t, largest, nil).Endpoint(t.Context())
		require.NoError(t, err)
		_, err = onDisk(t, append(largest, ' '), nil).Endpoint(t.Context())
		require.ErrorContains(t, err, "larger than 8388608 bytes")
		_, err = onDisk(t, nil, append(largest, ' ')).Endpoint(t.Context())
		require.ErrorContains(t, err, "larger than 8388608 bytes")
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f := onDisk(t, config, nil)
		_, err := f.Endpoint(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.ErrorContains(t, err, f.path)
		_, err = f.Pointer(ctx)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("read when asked", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, nbcCmd)
		_, err := f.Endpoint(t.Context())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(f.path, config, 0o600))
		c, err := f.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, f.path, c.Path)
	})
	t.Run("from many goroutines", func(t *testing.T) {
		t.Parallel()
		f := onDisk(t, nil, nbcCmd)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				_, err := f.Endpoint(t.Context())
				assert.NoError(t, err)
			})
		}
		wg.Wait()
	})
}
