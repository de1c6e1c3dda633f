// What operators do: the commands for template and key, rotation without a broken link, and what doctor says.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Finding, SystemChecks } from '#kit/system/schema.ts'
import { isLong } from '../cases.ts'
import { anyEngine } from '../database.ts'
import { type DomainsOptions, startDomains } from '../domains/domains-in-test.ts'
import { runCommand } from '../served-process.ts'
import {
  atConsent,
  atRegistrar,
  getConnect,
  operate,
  publishKeys,
  setQuirks,
  setUpConnect,
  showKeys,
  start,
} from './connect-in-test.ts'

const [engine = 'sqlite'] = anyEngine

async function started(options: DomainsOptions = {}) {
  const inTest = await startDomains(engine, { hasConnect: true, ...options })
  onTestFinished(() => inTest.release())
  const findings = async (): Promise<Finding[]> => {
    const { json } = await inTest.operator.ask('/system/checks')
    return (json as SystemChecks).findings.filter(({ area }) => area === 'connect')
  }
  return { inTest, findings }
}

describe('an operator', () => {
  it('sets it up by what doctor says, and rotates the key', async () => {
    const { findings, inTest } = await started()
    const owner = await inTest.owner()
    const { host } = await owner.addNew()
    expect(await getConnect(owner, host)).toMatchObject({ reason: 'no_key', message: null })
    expect(await findings()).toMatchObject([
      { status: 'problem', message: expect.stringContaining('There is no signing key') },
      { status: 'warning', subject: 'Burrow DNS', message: expect.stringContaining('template') },
    ])
    const [first] = await showKeys(inTest)
    expect(first).toMatchObject({ label: '_dck1', state: 'pending' })
    // Not published yet: it does not sign.
    expect(await operate(inTest, ['check'])).toMatchObject({ activated: null })
    await setUpConnect(inTest)
    expect((await findings()).map(({ status }) => status)).toEqual(['ok', 'ok'])
    inTest.pass(6 * 60_000)
    const old = await start(owner, host)

    const keys = await showKeys(inTest, '--rotate')
    expect(keys.map(({ label, state }) => `${label} ${state}`)).toEqual([
      '_dck2 pending',
      '_dck1 active',
    ])
    const again = await runCommand(inTest.store.place, ['connect', 'key', '--rotate'], inTest.env)
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('pending already')])
    expect((await findings())[0]).toMatchObject({
      status: 'warning',
      subject: '_dck2.animal-store.test',
    })
    // A faulty copy of the key is found.
    const [newest] = keys
    const faulty = newest?.records.map((record, i) =>
      i === 0 ? { ...record, value: 'p=1,d=x' } : record,
    )
    await atRegistrar(inTest, 'PUT /platform-records', { records: faulty ?? [] })
    expect(await operate(inTest, ['check'], 1)).toMatchObject({ activated: null })
    await publishKeys(inTest, keys)
    expect(new URL((await start(owner, host)).url).searchParams.get('key')).toBe('_dck1')
    expect(await operate(inTest, ['check'])).toMatchObject({ activated: '_dck2' })
    const link = (await start(owner, host)).url
    expect(new URL(link).searchParams.get('key')).toBe('_dck2')
    inTest.lab.dns.clearResolvers()
    for (const url of [old.url, link])
      expect((await atConsent(inTest, url)).refused).toBeUndefined()
    // A stale key: its records are gone.
    await publishKeys(inTest, keys, ['_dck2'])
    inTest.lab.dns.clearResolvers()
    expect((await atConsent(inTest, old.url)).refused).toContain('There is no valid key at _dck1.')
    await setQuirks(inTest, 'burrow', { template: 'old' })
    expect((await findings()).at(-1)).toMatchObject({ status: 'warning', subject: 'Burrow DNS' })
  })

  it('is told that a provider supports it, while it is not set up', async () => {
    const { findings, inTest } = await started({ env: { DOMAIN_CONNECT_TEMPLATE: '' } })
    expect(await findings()).toMatchObject([{ status: 'skipped' }])
    const owner = await inTest.owner()
    for (const at of ['docs', 'help']) await owner.add(`${at}.${inTest.buy().name}`)
    expect(await findings()).toMatchObject([
      {
        status: 'warning',
        message: expect.stringContaining('Burrow DNS supports it: owners of 2 domains'),
      },
    ])
    const { items } = (await owner.ask('')).json as { items: { host: string }[] }
    expect(await getConnect(owner, items[0]?.host ?? '')).toMatchObject({
      reason: 'not_configured',
    })
  })

  it('asks no private address that is not allowed', async () => {
    const { inTest } = await started({ allowsProviders: false })
    await publishKeys(inTest, await showKeys(inTest))
    await operate(inTest, ['check'])
    const owner = await inTest.owner()
    const { host } = await owner.addNew()
    expect(await getConnect(owner, host)).toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining('refused: connect.burrow.test is not a public address'),
    })
  })

  if (isLong)
    it('writes the template to a file, and is told what is wrong with it', async () => {
      const { inTest } = await started()
      const run = (...words: string[]) =>
        runCommand(inTest.store.place, ['connect', 'template', ...words], inTest.env)
      const file = join(inTest.lab.folder, 'template.json')
      const written = await run(file, '--logo', 'https://example.com/logo.svg')
      expect([written.status, written.stderr]).toEqual([0, ''])
      expect(written.stdout).toContain('animal-store.test.docs.json')
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
        ...{ providerId: 'animal-store.test', syncPubKeyDomain: 'animal-store.test' },
        ...{ hostRequired: true, logoUrl: 'https://example.com/logo.svg' },
      })
      const wrong = await run('--provider-name', ' ')
      expect([wrong.status, wrong.stdout]).toEqual([2, ''])
      expect(wrong.stderr).toContain('--provider-name and --service-name accept a name')
      const without = { ...inTest.env, DOMAIN_CONNECT_TEMPLATE: '' }
      const off = await runCommand(inTest.store.place, ['connect', 'template'], without)
      expect([off.status, off.stderr]).toEqual([1, expect.stringContaining('is not set')])
    })
})
