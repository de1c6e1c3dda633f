// The page behind every refusal: one small document without scripts, pictures or requests of its own.
import { hash } from 'node:crypto'

const style = `
:root{color-scheme:light dark;--back:#f6f7f9;--card:#fff;--line:#dfe3e8;--text:#1d2530;--soft:#5b6675;--link:#1c5fb8}
@media (prefers-color-scheme:dark){:root{--back:#12161c;--card:#1a2028;--line:#2c3540;--text:#e8ecf1;--soft:#a3afbd;--link:#8ab8f5}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--back);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:480px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}
.status{margin:0;color:var(--soft);font-size:14px;font-weight:600;letter-spacing:.08em}
h1{margin:4px 0 12px;font-size:26px;line-height:1.25;overflow-wrap:anywhere}
p{margin:0}
a{display:inline-block;margin-top:20px;color:var(--link);text-underline-offset:3px}
a:focus-visible{outline:2px solid;outline-offset:3px;border-radius:2px}
`

/** Nothing but its own style; the picture is the icon that a browser asks the site for. */
export const faultPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

/** Title and text are plain ASCII without markup. */
export function faultPage(
  status: number,
  title: string,
  text: string,
  hasFrontPage: boolean,
): string {
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
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${hasFrontPage ? '<a href="/">Go to the front page</a>\n' : ''}</main>
</body>
</html>
`
}
