package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplaced(t *testing.T) {
	t.Parallel()
	const document = "before\n<!-- a:begin -->\nold\n<!-- a:end -->\nbetween\n<!-- b:begin -->\n<!-- b:end -->\nafter\n"

	got, err := replaced(document, "a", "\nnew\n\n")
	require.NoError(t, err)
	assert.Equal(t, "before\n<!-- a:begin -->\nnew\n<!-- a:end -->\nbetween\n<!-- b:begin -->\n<!-- b:end -->\nafter\n", got)

	again, err := replaced(got, "a", "new")
	require.NoError(t, err)
	assert.Equal(t, got, again)

	got, err = replaced(document, "b", "new")
	require.NoError(t, err)
	assert.Contains(t, got, "old\n<!-- a:end -->\nbetween\n<!-- b:begin -->\nnew\n<!-- b:end -->\nafter\n")
}

func TestReplacedWithoutSection(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"", "<!-- b:begin -->\n<!-- b:end -->", "<!-- a:begin -->\n", "<!-- a:end -->\n<!-- a:begin -->\n"} {
		_, err := replaced(document, "a", "new")
		assert.ErrorContains(t, err, `no section "a"`, document)
	}
}
