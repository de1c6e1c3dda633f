// Runs domains prepare over the management API: see domains-client.ts.
import { badges } from '../../../client/values/domain-badges.ts'
import { type Input, print } from '../command-line/command.ts'
import { withDomains } from './domains-client.ts'
import { readTimeout } from './follow-domain.ts'
import { preparationText } from './preparation-text.ts'
import { follow, printCheck, readNames } from './run-domains.ts'

/** Requests a certificate before the switch, or cancels that, and shows the records to set. */
export async function prepare(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  const timeoutMs = readTimeout(input)
  const isRequested = input.options.cancel === undefined
  const { json } = input
  return await withDomains(input, async (call) => {
    const params = { slug, host }
    const body = { prepare: isRequested }
    const domain = await call('PATCH /projects/{slug}/domains/{host}', { params, body })
    if (!isRequested) {
      print(input, domain, `No certificate is requested for ${domain.host} before the switch.`)
      return 0
    }
    const isWaiting = timeoutMs !== undefined
    if (!(json && isWaiting)) {
      const text = `${domain.host}: ${badges[domain.badge].title}\n\n${preparationText(domain)}`
      print(input, domain, text)
    }
    if (!json) await printCheck(call, domain)
    return isWaiting ? await follow(call, domain, { goal: 'ready_to_switch', json, timeoutMs }) : 0
  })
}
