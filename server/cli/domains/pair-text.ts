// After a domain was added: that people type its twin as well, and the lines that make the two a pair.

import type { Domain } from '../../publishing/domains/api/schema.ts'
import type { Configuration } from '../../publishing/domains/configuration/configuration.ts'
import type { Call } from './on-domains.ts'

const command = 'animal-store domains'

/** Empty when there is nothing to offer. */
export async function pairText(call: Call, domain: Domain): Promise<string> {
  const { host, pair, project } = domain
  if (pair === null) return ''
  const params = { slug: project }
  const { items } = await call('GET /projects/{slug}/domains', { params })
  const twin = items.find((item) => item.host === pair)
  if (domain.role === 'redirect' || twin?.role === 'redirect') return ''
  const before = await call('GET /projects/{slug}/domain-configuration', { params })
  // Who was there first stays where visitors end.
  const [from, to] = twin ? [host, pair] : [pair, host]
  const line = `echo '${JSON.stringify(withRedirect(before, from, to))}' | ${command} config ${project} --file -`
  const add = twin ? '' : `  ${command} add ${pair} --project ${project}\n`
  return `\nPeople type ${pair} as well. To have ${from} redirect to ${to}:\n\n${add}  ${line}\n`
}

function withRedirect(
  { primary, redirects }: Configuration,
  from: string,
  to: string,
): Configuration {
  return {
    primary: primary === from ? to : (primary ?? to),
    redirects: [
      // What led there leads on at once.
      ...redirects.map((one) => (one.to === from ? { ...one, to } : one)),
      { from, to, status: 301 },
    ],
  }
}
