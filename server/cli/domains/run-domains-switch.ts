// domains switch: the checklist before a live domain is switched to us, the record to change, and the site before the
// switch. With --wait until it can be switched.
import { setTimeout as delay } from 'node:timers/promises'
import { paint, shown, signs, type TextOptions, wrapped } from '#doctor/rules/format-diagnosis.ts'
import type { DomainSwitch, SwitchItem } from '#domains/checks/switch-schema.ts'
import { columns, type Input, print } from '../command-line/command.ts'
import { createLiveLines } from '../command-line/progress.ts'
import { withDomains } from './domains-client.ts'
import { readTimeout, textOptions } from './follow-domain.ts'

const pollEveryMs = 5000
/** The server may restart meanwhile. */
const outages = ['unreachable', 'unavailable', 'rate_limited']

/** Exit status 0 when it can be switched, or is; 1 when something is missing. */
export async function switchDomain(input: Input): Promise<number> {
  const params = { slug: input.options.project ?? '', host: input.operands[0] ?? '' }
  const timeoutMs = readTimeout(input)
  const options = textOptions()
  return await withDomains(input, async (call) => {
    const route = 'GET /projects/{slug}/domains/{host}/switch'
    const outcome = await pollUntilReady(input, () => call(route, { params }), {
      ...options,
      timeoutMs,
    })
    print(input, outcome, formatSwitch(outcome, options).trimEnd())
    return outcome.state === 'preparing' ? 1 : 0
  })
}

/**
 * Resolves to the first response by which it can be switched, or to the last one before the time-out; without a time-out,
 * to the first one. On a terminal, the checklist of each before it is shown. Throws errors of the server.
 */
async function pollUntilReady(
  input: Input,
  ask: () => Promise<DomainSwitch>,
  { timeoutMs = 0, ...options }: TextOptions & { timeoutMs: number | undefined },
): Promise<DomainSwitch> {
  const lines = createLiveLines(process.stdout)
  const until = performance.now() + timeoutMs
  for (;;) {
    try {
      const seen = await ask()
      if (seen.state !== 'preparing' || performance.now() >= until) return seen
      if (!input.json && process.stdout.isTTY) lines.show(itemLines(seen.items, options))
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!outages.includes(code) || performance.now() >= until) throw error
    }
    await delay(Math.min(pollEveryMs, Math.max(1, until - performance.now())))
  }
}

const titles: Record<DomainSwitch['state'], string> = {
  preparing: 'Not ready to switch',
  ready: 'Ready to switch',
  switching: 'Switching',
  switched: 'Moved',
}

function formatSwitch(domainSwitch: DomainSwitch, options: TextOptions): string {
  const { host, items, preview, state } = domainSwitch
  const isBefore = state === 'preparing' || state === 'ready'
  return [
    `${host}: ${titles[state]}\n`,
    ...itemLines(items, options),
    ...(isBefore ? changeLines(domainSwitch) : afterLines(domainSwitch, options)),
    ...(isBefore ? [`\nSee the site before the switch:\n`, `  ${shown(preview.command)}`] : []),
    '',
  ].join('\n')
}

const looks = {
  passed: signs.fine,
  advice: signs.warns,
  waiting: signs.waits,
  failed: signs.blocks,
} satisfies Record<SwitchItem['state'], { sign: string; colour: number }>

function itemLines(items: readonly SwitchItem[], options: TextOptions): string[] {
  return items.flatMap(({ detail, fix, state, title, until }) => {
    const { colour, sign } = looks[state]
    const line = `  ${paint(sign, colour, options)} ${shown(title)}${timeText(until)}`
    if (state === 'passed') return [line]
    const texts = [detail, ...(fix === null ? [] : [fix])]
    return [line, ...texts.map((text) => wrapped(shown(text), '      ', options))]
  })
}

const timeText = (until: string | null): string =>
  until === null ? '' : ` until ${minuteOf(until)}`

/** `2026-03-03 14:02 UTC`. */
const minuteOf = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`

function changeLines({ bestFrom, change, state }: DomainSwitch): string[] {
  const { from, to } = change
  const rows = [
    ...from.map(({ name, ttlSeconds, type, value }) => [
      'From',
      type,
      shown(name),
      shown(value),
      `TTL ${ttlSeconds}`,
    ]),
    ['To', to.type, to.name, to.value, `TTL ${to.ttlSeconds}`],
  ]
  const isLater = bestFrom !== null && Date.parse(bestFrom) > Date.now()
  const best = isLater ? ['', `The switch is fastest from ${minuteOf(bestFrom)} on.`] : []
  const title = state === 'ready' ? 'Change this record:' : 'When everything is ready, change:'
  return [`\n${title}\n`, columns(rows).trimEnd(), ...best]
}

function afterLines(state: DomainSwitch, options: TextOptions): string[] {
  const { cachedUntil, keepOldSiteUntil, removable } = state
  const texts = [
    ...(cachedUntil === null ? [] : [`The old record is cached${timeText(cachedUntil)}.`]),
    ...(keepOldSiteUntil === null
      ? []
      : [`Keep the old site running${timeText(keepOldSiteUntil)}.`]),
    ...(removable.length === 0
      ? []
      : [
          `No longer needed: ${removable.map(({ host, type }) => `${type} ${host}`).join(', ')}. The certificate renews automatically over HTTP.`,
        ]),
  ]
  return texts.length === 0 ? [] : ['', ...texts.map((text) => wrapped(shown(text), '', options))]
}
