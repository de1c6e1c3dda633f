// Says in words how requests are authenticated.
import { type Html, html } from '../markdown/html.ts'
import type { SecurityNeed } from './operation.ts'
import { cut, oneLine } from './plain-text.ts'
import type { Reference } from './reference.ts'
import type { SecurityScheme } from './security-schemes.ts'

export function schemeSentence({ words, code }: SecurityScheme): Html {
  return html`${words}${code !== undefined && html` <code>${code}</code>.`}`
}

/** The needs of one operation: alternatives, each of them of several schemes. */
export function securityHtml(
  security: SecurityNeed[][] | undefined,
  { schemes }: Pick<Reference, 'schemes'>,
): Html {
  if (security === undefined || security.length === 0) {
    return html`<p>${security === undefined ? 'The document does not ask for any.' : 'None: anybody may send this request.'}</p>
`
  }
  const alternatives = security.slice(0, 20)
  const items = alternatives.map((needs) => needsHtml(needs, schemes))
  if (items.length === 1)
    return html`<p>${items}</p>
`
  return html`<p>One of these:</p>
<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>
`
}

function needsHtml(needs: SecurityNeed[], schemes: ReadonlyMap<string, SecurityScheme>): Html {
  if (needs.length === 0) return html`Nothing: it may also be sent without.`
  return html`${needs.slice(0, 20).map(({ scheme, scopes }, index) => {
    const known = schemes.get(scheme)
    const name = known?.title ?? cut(scheme, 80)
    return html`${index > 0 && html` <strong>and</strong> `}<strong>${oneLine(name)}</strong>. ${known && schemeSentence(known)}${scopesHtml(scopes)}`
  })}`
}

function scopesHtml(scopes: string[]): Html | false {
  if (scopes.length === 0) return false
  const shown = scopes.slice(0, 30).map((scope) => html` <code>${cut(scope, 120)}</code>`)
  return html` ${scopes.length === 1 ? 'Scope:' : 'Scopes:'}${shown}.`
}
