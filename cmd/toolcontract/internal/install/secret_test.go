package install_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
)

func TestInstall_WritesNoSecretInClearText(t *testing.T) {
	at := place(t)
	command := func(args ...string) install.Server {
		return install.Server{Command: append([]string{"./desk"}, args...)}
	}
	with := func(variable string) install.Server {
		return install.Server{Command: []string{"desk"}, Env: env(t, variable)}
	}
	to := func(url string, all ...string) install.Server {
		return install.Server{URL: url, Headers: headers(t, all...)}
	}
	for name, server := range map[string]install.Server{
		"a query":                        to("https://desk.example/mcp?token=abc"),
		"a key in a query":               to("https://desk.example/mcp?level=low&api_key=abc"),
		"an escaped name in a query":     to("https://desk.example/mcp?api%5Fkey=abc"),
		"a small key in a query":         to("https://desk.example/mcp?apiKey=abc"),
		"a fragment":                     to("https://desk.example/mcp#access_token=abc"),
		"a user of a URL":                to("https://abc@desk.example/mcp"),
		"an issued token in a path":      to("https://desk.example/ghp_abc/mcp"),
		"a flag":                         command("--api-key=sk-ant-abc"),
		"a flag without a prefix":        command("--api-key=abc"),
		"a flag of small letters":        command("-apikey=abc"),
		"an argument after a flag":       command("--password", "abc"),
		"after one in camel case":        command("-authToken", "abc"),
		"a data source after a flag":     command("-dsn", "abc"),
		"a password of a data source":    command("-db", "postgres://u:abc@h/db"),
		"one of MySQL":                   command("-db", "u:abc@tcp(h:3306)/db"),
		"one without a scheme":           command("-db", "u:abc@h:5432/db"),
		"one as words":                   command("-db", "host=h user=u password=abc"),
		"a URL of a bridge":              command("https://desk.example/mcp?token=abc"),
		"a header of a bridge":           command("--header", "Authorization: Bearer abc"),
		"a header without a space":       command("--header", "X-Api-Key:abc"),
		"one with a scheme":              command("--header", "Authorization:Bearer abc"),
		"a variable of a container":      command("run", "-e", "DESK_TOKEN=abc", "desk"),
		"a line of a shell":              command("-c", "./desk --password abc"),
		"JSON":                           command("-config", `{"token": "abc"}`),
		"an issued argument":             command("glpat-abc"),
		"a token of GitHub":              with("FOO=ghp_abc"),
		"a fine-grained token of GitHub": with("FOO=github_pat_abc"),
		"a key of a model":               with("FOO=sk-abcdef"),
		"a token of Slack":               with("FOO=xoxb-abc"),
		"a key of AWS":                   with("FOO=AKIAABCDEFGHIJKL/abc"),
		"a private key":                  with("FOO=-----BEGIN RSA PRIVATE KEY-----\nabc"),
		"a PAT":                          with("GITHUB_PAT=abc"),
		"a DSN":                          with("SENTRY_DSN=abc"),
		"a password in a value":          with("DATABASE_URL=postgres://u:abc@h/db"),
		"a password with a slash":        with("DATABASE_URL=postgres://u:abc/d@h/db"),
		"a user that is a token":         with("REPO=https://abc@git.example/x"),
		"half a reference":               with("API_TOKEN=abc${X}"),
		"half an issued token":           with("FOO=sk-live-abc${X}"),
		"half a query":                   with("WHERE=https://desk.example/?token=abc${X}"),
		"half a header":                  to("https://desk.example/mcp", "Authorization: Bearer abc${X}"),
		"keys in a variable":             with("API_KEYS=abc"),
		"a token of Hugging Face":        with("FOO=hf_abcdefghijklmnopqrstuvwxyz"),
		"a token of npm":                 with("FOO=npm_abcdefghijklmnopqrstuvwxyz012345"),
		"a key of SendGrid":              with("FOO=SG.abcdefghijklmnop.qrstuvwxyz"),
		"a key of Google":                command("AIzaabcdefghijklmnopqrstuvwxyz"),
		"an app token of Slack":          with("FOO=xapp-1-abc"),
		"a token of PyPI":                with("FOO=pypi-abcdefghijklmnopqrst"),
		"a token of DigitalOcean":        with("FOO=dop_v1_abc"),
		"a token of Shopify":             with("FOO=shpat_abc"),
		"a webhook of Slack":             with("FOO=https://hooks.slack.com/services/T0/B0/abc"),
		"a webhook of Slack for offices": with("FOO=https://hooks.slack-gov.com/services/T0/B0/abc"),
		"a webhook of Mattermost":        with("FOO=https://chat.example.com/hooks/abcdefghijklmnopqrstuvwxyz"),
		"a webhook of Lark":              command("https://open.larksuite.com/open-apis/bot/v2/hook/abc"),
		"a key of Groq":                  with("FOO=gsk_abcdefghijklmnopqrstuvwxyz"),
		"a webhook of Discord":           command("https://discord.com/api/webhooks/1/abc"),
		"a webhook of Teams":             with("FOO=https://desk.webhook.office.com/webhookb2/abc"),
		"a bot of Telegram":              to("https://api.telegram.org/bot1:abc/mcp"),
		"flags in a variable":            with("DESK_FLAGS=-level low --password abc"),
	} {
		server.Name = "desk"
		for _, host := range []string{"cursor", "claude-code", "codex"} {
			_, err := install.Install(server, host, "project", at)
			if assert.Error(t, err, name+", "+host) {
				assert.Contains(t, err.Error(), "-clear", name)
				assert.NotContains(t, err.Error(), "abc", name)
			}
		}
		server.Clear = true
		if !strings.Contains(name, "half") {
			p, err := install.Install(server, "codex", "project", at)
			require.NoError(t, err, name)
			assert.Contains(t, strings.ToLower(p.String()), "abc", name)
		}
	}
}

func TestInstall_AcceptsWhatIsNotASecret(t *testing.T) {
	at := place(t)
	for _, args := range [][]string{
		{"-keys", "FILE"}, {"-keys=/etc/desk/keys"}, {"-max-tokens", "100"}, {"--max-tokens=100"}, {"-token-file", "PATH"},
		{"-tls-key", "server.pem"}, {"--key=./server"}, {"-auth-url", "https://id.example/oauth"}, {"-approval", "-audit", "audit"},
		{"-author", "me"}, {"-tokenizer", "small"}, {"-path", "/a"}, {"-pattern", "a b"}, {"-lang", "sk-SK"}, {"task-1"},
		{"hf_transfer"}, {"npm_config_registry"}, {"SG.md"}, {"https://slack.com/services"}, {"https://git.example.com/hooks/pre-commit"},
		{"https://discord.com/api/v10/users"},
		{"-password", "-audit", "audit"}, {"-db", "postgres://u@h/db"}, {"ssh://git@h/x"}, {"git@h:me/x"},
		{"http://auth:8080/@me"}, {"auth:8080"}, {"me/auth:1.2"},
		{"auth:latest"},
		{"--header", "Authorization:Bearer"}, {"C:\\keys"},
		{"http://h:8080/a@b"}, {"npm:desk@1.2.3"}, {"-y", "@me/desk@latest"}, {"desk:1.2@sha256:0ab1"}, {"-state", `C:\desk\state.db`},
		{"https://desk.example/mcp?level=low"}, {"-auth=false"}, {"mailto:me@desk.example"},
	} {
		_, err := install.Install(install.Server{Name: "desk", Command: append([]string{"desk"}, args...)}, "cursor", "", at)
		assert.NoError(t, err, args)
	}
	for _, variable := range []string{
		"DESK_TOKEN", "DESK_TOKEN=${A}${B}", "AUTH=Bearer ${A}", "DB=postgres://u:${PW}@h/db", "WHERE=https://h/?token=${T}",
		"PWD=/a", "MAX_TOKENS=100", "TOKEN_FILE=/run/x", "TOKEN=", "LEVEL=low", "FLAGS=--password ${A}", "PATH=/usr/bin:/bin",
	} {
		_, err := install.Install(install.Server{Name: "desk", Command: []string{"desk"}, Env: env(t, variable)}, "cursor", "", at)
		assert.NoError(t, err, variable)
	}
	_, err := install.Install(install.Server{
		Name: "desk", URL: "https://desk.example:8080/mcp?level=low", Headers: headers(t, "Authorization: Bearer ${A}"),
	}, "cursor", "", at)
	assert.NoError(t, err)
}
