// domains connect: has the DNS provider set the records of a domain (Domain Connect). Prints the page that asks for
// consent, opens it with --open, and with --wait waits until DNS has the records.
import { spawn } from 'node:child_process'
import type { Answer } from '../../../client/management-client.ts'
import { CommandError, columns, type Input, print } from '../command-line/command.ts'
import { withDomains } from './domains-client.ts'
import { follow, readNames, recordText } from './run-domains.ts'

type Started = Answer<'POST /projects/{slug}/domains/{host}/connect'>

/** Exit status 0 when DNS has the records, or the link is printed; 1 when it is not possible, or takes too long. */
export async function connect(input: Input): Promise<number> {
  const { host, slug } = readNames(input)
  return await withDomains(input, async (call) => {
    const params = { slug, host }
    const offer = await call('GET /projects/{slug}/domains/{host}/connect', { params })
    const domain = await call('GET /projects/{slug}/domains/{host}', { params })
    if (offer.reason === 'not_needed') {
      print(input, domain, `No record of ${domain.host} has to be set now.`)
      return 0
    }
    if (offer.status !== 'offered') {
      const why = offer.message ?? 'The DNS provider does not take part in one click.'
      print(input, offer, `${why}\n\n${recordText(domain).trimEnd()}`)
      return 1
    }
    const started = await call('POST /projects/{slug}/domains/{host}/connect', { params })
    // With --wait, each line of JSON is whole.
    const isWaiting = input.options.wait !== undefined
    if (input.json && isWaiting) process.stdout.write(`${JSON.stringify(started)}\n`)
    else print(input, started, startedText(domain.host, started).trimEnd())
    if (input.options.open !== undefined) await openInBrowser(started.url)
    const types = started.adds.map(({ type }) => type)
    const records = { pointer: types.includes('CNAME'), ownership: types.includes('TXT') }
    return await follow(input, call, domain, records)
  })
}

function startedText(host: string, { adds, deletes, expiresAt, provider, url }: Started): string {
  const rows = (records: Started['adds']): string =>
    columns(records.map(({ name, type, value }) => [type, name, value]))
  const conflicts =
    deletes.length === 0 ? '' : `\nIt deletes, because they conflict:\n\n${rows(deletes)}`
  return `${provider} sets the records of ${host} after you confirm at:

${url}

The link works until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC. Nothing is changed before you confirm. It adds:

${rows(adds)}${conflicts}`
}

const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open' }

/** The program that BROWSER names, or that of the desktop. Throws a CommandError. */
async function openInBrowser(url: string): Promise<void> {
  const program = process.env.BROWSER || (openers[process.platform] ?? 'xdg-open')
  const child = spawn(program, [url], { stdio: 'ignore', detached: true })
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  child.on('spawn', resolve)
  child.on('error', () =>
    reject(new CommandError(`${program} could not be started: open the link yourself`)),
  )
  await promise
  child.unref()
}
