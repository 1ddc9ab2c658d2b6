package exampleserver

import (
	"html/template"
	"net/http"

	"github.com/toolcontract/toolcontract/contract/approval"
)

const (
	signInPath  = approval.DefaultPath + "/sign-in"
	tokenCookie = "example-token"
	maxSignIn   = 4 << 10 // bytes
)

var signInPage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in</title>
<link rel="icon" type="image/svg+xml" href="{{.Path}}/icon.svg">
<link rel="stylesheet" href="{{.Path}}/style.css">
</head>
<body>
<header><nav aria-label="Approvals"><a href="{{.Path}}">Approvals</a></nav></header>
<main>
<h1>Sign in</h1>
{{if .Wrong}}<p class="problem" role="alert">This is not the token of a person who can decide here.</p>{{end}}
<form method="post">
<p><label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus aria-describedby="hint"></p>
<p class="note" id="hint">In this example, use the token auditor. It belongs to a person; agents such as alice cannot decide.</p>
<div class="buttons"><button class="yes">Sign in</button></div>
</form>
</main>
</body>
</html>
`))

// signIn serves a form that takes the token of a person, sets it as a cookie,
// and returns to the page that the person opened. These tokens prove nothing: a
// real server needs a real sign-in.
func (p people) signIn(page *approval.Page) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+signInPath, func(w http.ResponseWriter, _ *http.Request) { showSignIn(w, http.StatusOK) })
	mux.HandleFunc("POST "+signInPath, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxSignIn)
		if err := r.ParseForm(); err != nil || !p.decides(r.Context(), r.PostForm.Get("token")) {
			showSignIn(w, http.StatusUnauthorized)
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: tokenCookie, Value: r.PostForm.Get("token"), Path: approval.DefaultPath, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		})
		http.Redirect(w, r, page.ReturnPath(r.URL.Query().Get(approval.ReturnParam)), http.StatusSeeOther)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

func showSignIn(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = signInPage.Execute(w, map[string]any{"Path": approval.DefaultPath, "Wrong": status != http.StatusOK}) // the browser may be gone
}
