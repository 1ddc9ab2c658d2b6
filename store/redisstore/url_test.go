package redisstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/store/redisstore"
)

func TestOpen_NamesTheMistakeOfTheURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                              "is empty",
		"http://host":                   "scheme",
		"redis://host:port":             "port",
		"redis://host/first":            "number of a database",
		"redis://host/1/2":              "several parts",
		"unix://":                       "socket",
		"redis://host?max_retries=many": "max_retries",
		"redis://host?retries=1":        "parameter",
	} {
		_, err := redisstore.Open(url)
		require.Error(t, err, url)
		assert.Contains(t, err.Error(), want, url)
	}
}
