package pointer

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBase(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"202604.01.0":                   "202604.01",
		"202604.01.3":                   "202604.01",
		"202604.01.9223372036854775807": "202604.01",
		"202604.01.9223372036854775808": "",
		"202604.01":                     "",
		"202604.01.":                    "",
		"202604.1.3":                    "",
		"v202604.01.3":                  "",
		"202604.01.3-rc1":               "",
		"202604.01.3.4":                 "",
		"202604001.3":                   "",
		"dev":                           "",
		"":                              "",
	} {
		base, ok := Base(version)
		assert.Equal(t, want, base, version)
		assert.Equal(t, want != "", ok, version)
	}
}

func TestP1Patches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		current, hotfix string
		want            bool
	}{
		{"202604.01.9", "202604.01.10", true},
		{"202604.01.10", "202604.01.9", false},
		{"202604.01.1", "202604.01.1", false},
		{"202604.01.0", "202604.1.1", false},
		{"202604.1.0", "202604.1.1", false},
		{"202604.01.0", "202604.02.1", false},
		{"202603.01.0", "202604.01.1", false},
		{"dev", "202604.01.1", false},
		{"202604.01.0", "dev", false},
		{"", "", false},
	} {
		assert.Equal(t, tt.want, ShouldUpgrade(tt.current, tt.hotfix), "%s to %s", tt.current, tt.hotfix)
	}
}

func TestP1BaseIsText(t *testing.T) {
	t.Parallel()
	p := Pointer{Version: "202604.01.9", Hotfixes: map[string]string{"202604.01": "202604.01.1"}}
	version, ok := p.Resolve("202604.01.0")
	assert.Equal(t, "202604.01.1", version)
	assert.True(t, ok)
	for _, current := range []string{"202604.1.0", "202604.02.0", "dev", ""} {
		version, ok := p.Resolve(current)
		assert.Empty(t, version, current)
		assert.False(t, ok, current)
	}
}

func TestResolveLegacy(t *testing.T) {
	t.Parallel()
	version, ok := Pointer{Version: "202604.01.9"}.Resolve("202604.01.0")
	assert.Equal(t, "202604.01.9", version)
	assert.True(t, ok)
	_, ok = Pointer{}.Resolve("202604.01.0")
	assert.False(t, ok)
}
