// `domains check` with the server in a lab: no record, a planned one, a new one, one that reaches server after
// server, a correct one; and everything that may be wrong.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Evidence } from '#doctor/evidence.ts'
import { judge } from '#doctor/rules/judge.ts'
import { platformHost } from '../../lab/network/topology.ts'
import type { EditedRecord } from '../../lab/registrar/edited-record.ts'
import { environmentIn, serveInLab } from '../../lab/serve-in-lab.ts'
import { isLong } from '../cases.ts'
import { startLabForTest } from '../lab/started-lab.ts'
import { nodeEnvironment, program } from '../program.ts'
import { runCommand, runOnTerminal } from '../served-process.ts'
import { shared } from '../shared.ts'

const plain = { ...nodeEnvironment, LOG_LEVEL: 'warn', FIRST_PROJECT: 'off' }
const host = 'docs.mossy.example'

let clock = Date.now()
const lab = shared(() => startLabForTest({ now: () => clock }))
shared(() => serveInLab(program, lab, plain))
beforeAll(() => {
  for (const name of ['mossy', 'old', 'near']) {
    lab.domains.buy(`${name}.example`, 'burrow')
  }
  put('near', 'docs', 'CNAME', 'd0cs.animal-store.test')
})

const environment = () => ({ ...plain, TZ: 'UTC', ...environmentIn(lab) })
const put = (zone: string, name: string, type: EditedRecord['type'], value: string) =>
  lab.domains.addRecord(`${zone}.example`, { name, type, value, ttlSeconds: 300 })

const check = (words: string[], input = '') =>
  runCommand({ dataDir: '' }, ['domains', 'check', ...words], environment(), input)

const onTerminal = (words: string[], env: Record<string, string> = {}) =>
  runOnTerminal({ dataDir: '' }, ['domains', 'check', ...words], { ...environment(), ...env })

test('the procedure: no record, planned, created, partial, correct', async () => {
  const nothing = await check([`https://${host}/start`])
  expect(nothing).toMatchObject({ status: 1, stderr: '' })
  expect(nothing.stdout).toContain(`✗ D07 ${host} has no record yet`)
  expect(nothing.stdout).toContain(`→ Add a CNAME record: name docs, value ${platformHost}.`)

  const planned = await check([host, '--planned', '-'], `docs 300 IN CNAME ${platformHost}.\n`)
  expect(planned).toMatchObject({ status: 0, stderr: '' })
  expect(planned.stdout).toContain(`${host} points to us\n`)
  const file = join(lab.folder, 'planned.json')
  writeFileSync(file, JSON.stringify([{ name: 'docs', type: 'CNAME', value: platformHost }]))
  const wrong = await check([host, '--planned', file])
  expect(wrong.status).toBe(1)
  expect(wrong.stdout).toContain('✗ D06 ')

  lab.domains.changeServer('mossy.example', 'ns3.burrow.test', { delay: 60 })
  lab.domains.changeServer('mossy.example', 'ns4.burrow.test', { delay: 120 })
  put('mossy', 'docs', 'CNAME', `${platformHost}.`)
  const first = await check([host])
  expect(first.status).toBe(1)
  expect(first.stdout).toContain('… D08 2 of 4 name servers have the record')
  expect(first.stdout).toMatch(
    /Name servers: 2 of 4 point to us; the rest is cached until \d\d:\d\d\.\n/,
  )
  expect(first.stdout).toMatch(
    /✓ ns1\.burrow\.test .* CNAME docs\.animal-store\.test +cached until/,
  )
  expect(first.stdout).toMatch(/… ns4\.burrow\.test .* nothing +cached until \d\d:\d\d\n/)

  clock += 60_000
  const json = JSON.parse((await check([host, '--json'])).stdout)
  expect(json).toMatchObject({
    host,
    result: 'partial',
    isCutShort: false,
    diagnostics: [{ code: 'D08', severity: 'waits', fix: null }],
    propagation: { updated: 3, responding: 4, cachedUntil: expect.stringMatching(/^20.*Z$/) },
  })
  expect(json.propagation.servers[3]).toMatchObject({
    name: 'ns4.burrow.test',
    state: 'ok',
    answer: 'missing',
    records: [],
    cachedUntil: expect.any(String),
  })

  clock += 120_000
  const fine = await check([host])
  expect(fine).toMatchObject({ status: 0, stderr: '' })
  expect(fine.stdout).toBe(
    `${host} points to us\n\n` +
      `   ✓ CNAME ${platformHost} at 4 name servers\n   ✓ A request to 127.0.0.1 reaches us\n`,
  )
})

test('an A record that conflicts: stored evidence has the same findings', async () => {
  put('old', 'docs', 'A', lab.topology.otherPlatform)
  const file = join(lab.folder, 'evidence.json')
  const seen = await check(['docs.old.example', '--evidence', file, '--json'])
  expect(seen.status).toBe(1)
  const { diagnostics, result } = JSON.parse(seen.stdout)
  expect(result).toBe('conflict')
  expect(diagnostics).toMatchObject([
    { code: 'D10', title: `The A record ${lab.topology.otherPlatform} conflicts` },
    { code: 'D22', title: 'Dovecote answers for docs.old.example' },
  ])
  expect(diagnostics[0].fix.zoneLines).toEqual([`docs.old.example. 3600 IN CNAME ${platformHost}.`])
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Evidence
  const again = judge(kept)
  expect(again.result).toBe(result)
  expect(again.diagnostics.map(({ title }) => title)).toEqual(
    diagnostics.map(({ title }: { title: string }) => title),
  )
  expect(kept.exchanges.length).toBeGreaterThan(5)
})

test('planned records that cannot be read are reported in one line', async () => {
  expect(await check([host, '--planned', '-'], 'docs SOA x\n')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^animal-store: standard input: Line 1: "SOA" is not .*\n$/),
  })
  expect(await check([host, '--planned', '-'])).toMatchObject({
    status: 1,
    stderr: 'animal-store: standard input has no records\n',
  })
  expect(await check([host, '--planned', '/nowhere'])).toMatchObject({
    status: 1,
    stderr: 'animal-store: /nowhere does not exist\n',
  })
})

test('wrong usage and refused names are reported in one line', async () => {
  const refused: [words: string[], status: number, says: RegExp][] = [
    [[], 2, /NAME is missing/],
    [[host, 'more'], 2, /unexpected argument "more"/],
    [[host, '--wrong'], 2, /--wrong/],
    [['localhost'], 1, /localhost/],
    [['192.0.2.1'], 1, /IP address/],
    [[platformHost], 1, /belongs to this platform already/],
    [[host, '--evidence', '/nowhere/file'], 1, /\/nowhere\/file cannot be written/],
  ]
  const seen = await Promise.all(refused.map(([words]) => check(words)))
  for (const [i, [words, status, says]] of refused.entries()) {
    expect(seen[i], words.join(' ')).toMatchObject({ status, stdout: '' })
    expect(seen[i]?.stderr).toMatch(says)
    expect(seen[i]?.stderr).toMatch(/^animal-store: [^\n]+\n$/)
  }
})

describe('on a terminal', () => {
  test('there are colours, and lines of its width; with NO_COLOR and in a pipe there are none', async () => {
    const coloured = await onTerminal(['docs.near.example'])
    expect(coloured).toContain('\u001b[31m✗ D12\u001b[0m')
    const bare = await onTerminal(['docs.near.example'], { NO_COLOR: '1' })
    expect(bare).toContain('✗ D12')
    expect(bare).not.toContain('\u001b[')
    const sentences = bare.split('\n').filter((line) => !line.startsWith('✗'))
    for (const line of sentences) expect(line.length).toBeLessThan(80)
    expect((await check(['docs.near.example'])).stdout).not.toContain('\u001b')
  })

  if (isLong)
    test('a slow check shows what it waits for, and clears it', async () => {
      lab.domains.buy('quiet.example', 'pigeon')
      lab.domains.changeServer('quiet.example', 'coo.pigeon.test', { fault: 'silent' })
      const seen = (await onTerminal(['docs.quiet.example'])).replaceAll('\u001b', '<esc>')
      expect(seen).toMatch(/\r<esc>\[KAsking 2 name servers … [12] s/)
      const before = seen.slice(0, seen.indexOf('docs.quiet.example does not'))
      expect(before).toMatch(/\r<esc>\[K(<esc>\[1m)?$/)
      expect(seen).toContain('coo.pigeon.test')
    })
})
