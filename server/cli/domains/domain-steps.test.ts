// The steps of a domain as the terminal shows them, and how they are drawn.
import { expect, it } from 'vitest'
import { statusOf } from '#domains/api/domain-status.ts'
import type { Domain } from '#domains/api/schema.ts'
import { createLiveLines } from '../command-line/progress.ts'
import { stepsAsLines } from './follow-domain.ts'

const formatTime = (at: number) => new Date(at).toISOString().slice(11, 16)

const none = {
  state: 'none',
  steps: [],
  issuer: null,
  expiresAt: null,
  blockedBy: null,
  blockedReason: null,
  problem: null,
  nextTryAt: null,
} as unknown as Domain['certificate']

const site = {
  purpose: 'site',
  host: 'docs.mossy.example',
  type: 'CNAME',
  value: 'docs.acorn.example',
  servers: null,
}
const fresh = {
  host: 'docs.mossy.example',
  dns: 'missing',
  ownership: 'unproven',
  provenBy: null,
  serving: 'off',
  badge: 'add_dns_record',
  record: { type: 'CNAME', name: 'docs', value: 'docs.acorn.example' },
  verification: { host: '_animal-store.docs.mossy.example', isRequired: false },
  certificate: none,
  preparation: { state: 'off', since: null, certificatesLeft: 0 },
  records: [{ ...site, state: 'required' }],
  check: null,
} as unknown as Domain
const proven: Domain = {
  ...fresh,
  records: [],
  dns: 'ok',
  ownership: 'proven',
  provenBy: 'pointer',
  serving: 'http_only',
}
const steps: Domain['certificate']['steps'] = [
  { step: 'preflight', state: 'done', elapsedMs: 1200 },
  { step: 'ordering', state: 'running', elapsedMs: 61_900 },
  { step: 'validating', state: 'waiting', elapsedMs: null },
]

const linesOf = (domain: Domain) =>
  stepsAsLines({ ...domain, status: statusOf(domain) }, { hasColour: false, formatTime })

it('shows each step with its status', () => {
  expect(linesOf(fresh)).toEqual([
    '  ! DNS: Record required',
    '    Ownership: Automatic',
    '    Certificate: Automatic',
    '    Live: Automatic',
    '    Create this DNS record: docs.mossy.example CNAME docs.acorn.example',
  ])
  expect(linesOf({ ...proven, certificate: { ...none, state: 'ordering', steps } })).toEqual([
    '  ✓ DNS: Points to us',
    '  ✓ Ownership: Proven',
    '  … Certificate: Ordering  1 min 3 s',
    '    Live: HTTP only',
  ])
  const issued = { issuer: 'Acorn CA', expiresAt: '2027-04-01T00:00:00.000Z' }
  expect(
    linesOf({
      ...proven,
      serving: 'https',
      certificate: { ...none, ...issued, state: 'issued' },
    }).slice(2),
  ).toEqual([
    '  ✓ Certificate: Until 1 Apr 2027',
    '  ✓ Live: Over HTTPS  https://docs.mossy.example/',
  ])
})

it('shows the error and the time of the retry', () => {
  const nextTryAt = '2027-01-01T14:32:00.000Z'
  const [tried] = steps
  const failed = { ...none, steps: [{ ...tried, state: 'failed' }] as typeof steps, nextTryAt }
  const last = (certificate: Domain['certificate']) => linesOf({ ...proven, certificate }).slice(2)
  const blockedReason = 'CAA records do not allow it (C01)'
  expect(last({ ...failed, state: 'blocked', blockedBy: 'C01', blockedReason })).toEqual([
    '  ✗ Certificate: Blocked  1 s',
    '    Live: HTTP only',
    '    It is blocked: CAA records do not allow it (C01). Retrying at 14:32.',
  ])
  const detail = 'CAA \u001b[2Jforbids it'
  const problem = { authority: 'acorn.example', type: 'caa', status: 403, detail, at: nextTryAt }
  // Text from an authority cannot control the terminal.
  expect(last({ ...failed, state: 'retry_wait', problem }).at(-1)).toBe(
    '    acorn.example: CAA \\u{1b}[2Jforbids it Retrying at 14:32.',
  )
  const dispute = { ...fresh, dns: 'ok', badge: 'prove_ownership', ownership: 'disputed' } as Domain
  expect(linesOf(dispute)[1]).toBe('  ✗ Ownership: TXT record required')
})

it('shows what a certificate before the switch waits for', () => {
  const record = { type: 'TXT', state: 'required', servers: null, value: 'abc' }
  const name = '_acme-challenge.docs.mossy.example'
  const records = [
    { ...site, state: 'later' },
    { ...record, purpose: 'ownership', host: fresh.verification.host, state: 'found' },
    { ...record, purpose: 'challenge', host: name, servers: { responding: 4, updated: 3 } },
  ] as Domain['records']
  const preparing: Domain = {
    ...proven,
    ...{ dns: 'wrong_target', badge: 'prepare_certificate', records },
    preparation: {
      ...{ state: 'requested', since: '2027-01-01T00:00:00.000Z', certificatesLeft: 3 },
      ...{ method: 'dns-01', methods: ['dns-01'] },
    },
    certificate: {
      ...{ ...none, state: 'awaiting_record' },
      steps: [{ step: 'awaiting_record', state: 'running', elapsedMs: 2000 }],
    },
  }
  expect(linesOf(preparing)).toEqual([
    '  ✓ Ownership: Proven',
    '  ! Certificate: TXT record required  2 s',
    '    Switch: The old site keeps serving',
    '    Live: After the switch',
    `    Set this TXT record: ${name} TXT abc (on 3 of 4 name servers)`,
  ])
  const issued = { ...none, issuer: 'Acorn CA', expiresAt: '2027-04-01T00:00:00.000Z' }
  expect(
    linesOf({
      ...preparing,
      ...{
        badge: 'ready_to_switch',
        serving: 'https',
        records: [{ ...site, state: 'required' }] as Domain['records'],
      },
      certificate: { ...issued, state: 'issued' },
    }),
  ).toEqual([
    '  ✓ Ownership: Proven',
    '  ✓ Certificate: Until 1 Apr 2027',
    '  ! Switch: Change the record',
    '    Live: After the switch',
    '    Create this DNS record: docs.mossy.example CNAME docs.acorn.example',
  ])
})

it('redraws all lines on a terminal, and prints only new lines elsewhere', () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = []
    return { isTTY, columns: 12, written, write: (text: string) => written.push(text) }
  }
  const terminal = screen(true)
  const live = createLiveLines(terminal)
  live.show(['one', 'two'])
  live.show(['one', '\u001b[32mtwo and more\u001b[0m', 'three'])
  live.show(['one'])
  expect(terminal.written).toEqual([
    '\u001b[Jone\ntwo\n',
    '\r\u001b[2A\u001b[Jone\ntwo and mo…\nthree\n',
    '\r\u001b[3A\u001b[Jone\n',
  ])
  const pipe = screen(false)
  const plain = createLiveLines(pipe)
  plain.show(['one', 'two'])
  plain.show(['one', 'three is longer than it may be'])
  plain.show(['one'])
  expect(pipe.written).toEqual(['one\ntwo\n', 'three is longer than it may be\n'])
})
