// The small pages that the program shows at hosts of sites: one column, both themes in the colours of rendered sites, no
// scripts, nothing else loaded.
import { hash } from 'node:crypto'

const style = `
:root{color-scheme:light dark;--back:#fdfcf9;--card:#fff;--line:#e5e1d6;--text:#232926;--soft:#555d58;--link:#1c6547;--field:#7f7d72;--action:#1c6547;--on-action:#fff;--bad:#b02a24}
@media (prefers-color-scheme:dark){:root{--back:#131614;--card:#1a1e1b;--line:#2c322e;--text:#dfe3dd;--soft:#a6aea8;--link:#86d3a9;--field:#7c857f;--action:#86d3a9;--on-action:#0d1a13;--bad:#f59a90}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--back);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:480px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}
.status{margin:0;color:var(--soft);font-size:14px;font-weight:600;letter-spacing:.08em}
h1{margin:4px 0 12px;font-size:26px;line-height:1.25;overflow-wrap:anywhere}
p{margin:0}
a{display:inline-block;margin-top:20px;color:var(--link);text-underline-offset:3px}
a:focus-visible,input:focus-visible,button:focus-visible{outline:2px solid var(--link);outline-offset:3px;border-radius:2px}
form{margin-top:24px}
label{display:block;margin-bottom:6px;font-size:14px;font-weight:600}
input{display:block;width:100%;min-height:44px;padding:8px 12px;background:var(--card);color:inherit;border:1px solid var(--field);border-radius:8px;font:inherit}
input[aria-invalid]{border-color:var(--bad)}
.problem{margin-top:6px;color:var(--bad);font-size:14px}
button{width:100%;min-height:44px;margin-top:16px;padding:8px 16px;background:var(--action);color:var(--on-action);border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer}
input:focus-visible,button:focus-visible{border-radius:8px}
`

const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`

/** Allows only its own style, the icon that browsers request from the site, and forms that lead to these sources. */
export function plainPagePolicy(formAction: string): string {
  return `default-src 'none'; style-src ${styleSource}; img-src 'self'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'self'`
}

/** `title` is plain text without markup; `body` is HTML. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}</main>
</body>
</html>
`
}
