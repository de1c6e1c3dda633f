// The registrar in Chromium: its pages with mouse and keyboard, at both widths and in both themes.

import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { findAccessibilityProblems } from '../browser/axe.ts'
import { type Chromium, desktop, launchChromium, phone } from '../browser/chromium.ts'
import { cases } from '../cases.ts'
import { shared } from '../shared.ts'
import { dig } from './dig.ts'
import { startedLab } from './started-lab.ts'

const browser = shared(() => launchChromium())

async function visit(options: Parameters<Chromium['visitor']>[0] = desktop) {
  const lab = await startedLab()
  const { complaints, hosts, page } = await browser.visitor(options)
  onTestFinished(() => page.context().close())
  await page.goto(lab.registrarUrl)
  return { lab, page, complaints, hosts }
}

async function buy(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Buy domain' }).click()
}

test('buys a domain, edits its zone, delays a server, and adds a wildcard', async () => {
  const { complaints, hosts, lab, page } = await visit()
  await buy(page, 'Mossy')
  await page.getByRole('heading', { level: 1, name: 'mossy.example' }).waitFor()

  await page.getByLabel('Name', { exact: true }).fill('docs')
  await page.getByLabel('Value').fill('docs.animal-store.test.')
  await page.getByRole('button', { name: 'Add record' }).click()
  const row = page.getByRole('row').filter({ hasText: 'docs.animal-store.test.' })
  await row.waitFor()

  const [first = ''] = lab.topology.providerServers.burrow
  const answers = async (name: string) =>
    (await dig(first, lab.topology.ports.dns, `${name}.mossy.example CNAME`)).answer.map((line) =>
      line.split(' ').at(-1),
    )
  expect(await answers('docs')).toEqual(['docs.animal-store.test.'])

  await page.getByLabel('Changes reach ns1.burrow.test').selectOption('when released')
  await row.getByRole('button', { name: /^Edit/ }).click()
  await page.getByLabel('Value').fill('other.example.')
  await page.getByRole('button', { name: 'Save record' }).click()
  await page.getByText('3 of 4 have version 3 of the zone.').waitFor()
  await page.getByText('Has version 2, held').waitFor()
  expect(await answers('docs')).toEqual(['docs.animal-store.test.'])
  await page.getByLabel('Changes reach ns1.burrow.test').selectOption('immediately')
  await page.getByText('4 of 4 have version 3 of the zone.').waitFor()
  expect(await answers('docs')).toEqual(['other.example.'])

  await page.getByRole('button', { name: 'A wildcard' }).click()
  await page.getByRole('cell', { name: '*', exact: true }).waitFor()
  expect(await answers('whatever')).toEqual(['docs.animal-store.test.'])

  await page.getByRole('button', { name: 'Delete the CNAME record of docs.mossy.example' }).click()
  await page.getByText('other.example.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Break DNSSEC' }).click()
  await page.getByRole('button', { name: 'Remove the DS record' }).waitFor()
  expect(complaints).toEqual([])
  expect([...hosts]).toEqual([new URL(lab.registrarUrl).host])
})

test('shows an error at its field', async () => {
  const { page } = await visit()
  await buy(page, 'not a name')
  await page.getByRole('alert').filter({ hasText: 'A domain is letters' }).waitFor()
  expect(await page.evaluate('document.activeElement.name')).toBe('name')
  await buy(page, 'mossy')
  await page.getByLabel('Type').selectOption('A')
  await page.getByLabel('Value').fill('nowhere')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'An A record holds an IPv4 address' }).waitFor()
  expect(await page.evaluate('document.activeElement.name')).toBe('value')
})

test('a pending change counts down', async () => {
  const { lab, page } = await visit()
  await buy(page, 'mossy')
  await page.getByRole('heading', { level: 1, name: 'mossy.example' }).waitFor()
  const server = 'PUT /domains/mossy.example/servers/ns2.burrow.test'
  await lab.ask(server, { delay: 600 })
  await lab.ask('PUT /domains/mossy.example/scenario', { scenario: 'right', name: 'docs' })
  await page.getByText(/Has version 1, next in \d+ s/).waitFor()
  await lab.ask(server, { fault: 'silent' })
  await page.getByText('Faulty: does not answer').waitFor()
})

test.each(
  cases([
    ['desktop', desktop],
    ['phone', phone],
  ] as const),
)('is accessible: %s, in both themes', async (_, options) => {
  const { complaints, lab, page } = await visit(options)
  for (const name of ['mossy.example', 'a-rather-long-name-for-a-small-shop-with-otters.test']) {
    await lab.ask('POST /domains', { name, provider: 'burrow' })
  }
  await lab.ask('PUT /domains/mossy.example/scenario', { scenario: 'right', name: 'docs' })
  await lab.ask('PUT /domains/mossy.example/scenario', { scenario: 'caa_other', name: 'docs' })
  await lab.ask('PUT /domains/mossy.example/servers/ns2.burrow.test', { delay: 600 })
  await lab.ask('PUT /domains/mossy.example/servers/ns3.burrow.test', { fault: 'lame' })
  await lab.ask('PUT /domains/mossy.example/scenario', { scenario: 'wildcard', name: 'docs' })
  for (const part of ['', '#mossy.example']) {
    await page.goto(`${lab.registrarUrl}/${part}`)
    await page.reload()
    await page.getByRole('heading', { name: part ? 'Scenarios' : 'Your domains' }).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const rules = colorScheme === 'light' ? undefined : ['cat.color']
      expect(await findAccessibilityProblems(page, rules)).toEqual([])
    }
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
  }
  expect(complaints).toEqual([])
})
