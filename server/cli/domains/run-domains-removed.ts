// domains removed: removed domains with the DNS records to delete. With a name, these are looked up at every name server;
// with --wait until they are deleted.
import type { DomainRemoval, DomainRemovals } from '../../publishing/domains/api/removal-schema.ts'
import {
  paint,
  shown,
  signs,
  type TextOptions,
  wrapped,
} from '../../publishing/domains/doctor/terminal-text.ts'
import { type Input, print, UsageError } from '../command-line/command.ts'
import { columns } from '../command-line/help.ts'
import { textOptions } from './diagnosis-text.ts'
import { type Call, withDomains } from './domains-client.ts'
import { readTimeout } from './follow-domain.ts'
import { pollUntil } from './poll-until.ts'

/** Exit status 0 when no record is left, 1 when there may be some. */
export async function removed(input: Input): Promise<number> {
  const [host] = input.operands
  const slug = input.options.project ?? ''
  const timeoutMs = readTimeout(input)
  const isDismissed = input.options.dismiss !== undefined
  if (host === undefined && (isDismissed || timeoutMs !== undefined)) {
    throw new UsageError('--wait and --dismiss require the name of a removed domain')
  }
  return await withDomains(input, async (call) => {
    if (host !== undefined && isDismissed) {
      await call('DELETE /projects/{slug}/removed-domains/{host}', { params: { slug, host } })
      print(input, { host, dismissed: true }, `The DNS records of ${host} are no longer checked.`)
      return 0
    }
    if (host !== undefined) return await verify(input, call, { slug, host }, timeoutMs)
    const found = await call('GET /projects/{slug}/removed-domains', { params: { slug } })
    print(input, found, listText(found, slug))
    return found.items.every(({ state }) => state === 'deleted') ? 0 : 1
  })
}

async function verify(
  input: Input,
  call: Call,
  params: { slug: string; host: string },
  timeoutMs: number | undefined,
): Promise<number> {
  const options = textOptions()
  const route = 'POST /projects/{slug}/removed-domains/{host}/verify'
  const found = await pollUntil(input, () => call(route, { params }), {
    timeoutMs,
    isAwaited: ({ state }) => state === 'deleted',
    linesOf: (seen) => recordLines(seen, options),
  })
  const text = [`${shown(found.host)}: ${titles[found.state]}\n`, ...recordLines(found, options)]
  print(input, found, text.join('\n'))
  return found.state === 'deleted' ? 0 : 1
}

const titles: Record<DomainRemoval['state'], string> = {
  unchecked: 'Not checked yet',
  present: 'DNS records still there',
  unknown: 'Some name servers could not be asked',
  deleted: 'All DNS records deleted',
}

const looks = {
  deleted: signs.fine,
  unchecked: signs.waits,
  unknown: signs.warns,
  present: signs.blocks,
} satisfies Record<DomainRemoval['state'], { sign: string; colour: number }>

function recordLines({ records }: DomainRemoval, options: TextOptions): string[] {
  return records.flatMap(({ detail, name, note, state, type, value }) => {
    const { colour, sign } = looks[state]
    const texts = [detail, state === 'deleted' ? null : note].filter((text) => text !== null)
    return [
      `  ${paint(sign, colour, options)} ${shown(`${name} ${type} ${value}`)}`,
      ...texts.map((text) => wrapped(shown(text), '      ', options)),
    ]
  })
}

function listText({ items }: DomainRemovals, slug: string): string {
  if (items.length === 0) return `No removed domains of ${slug} have DNS records to delete.`
  const rows = items.map(({ checkedAt, host, removedAt, state }) => [
    host,
    removedAt.slice(0, 10),
    titles[state],
    checkedAt === null ? '' : `${checkedAt.slice(0, 16).replace('T', ' ')} UTC`,
  ])
  return columns([['HOST', 'REMOVED', 'DNS RECORDS', 'CHECKED'], ...rows]).trimEnd()
}
