package gosdk_test

import (
	"os"
	"testing"

	"github.com/toolcontract/toolcontract/internal/testing/idletest"
)

func TestMain(m *testing.M) { os.Exit(idletest.Main(m)) }
