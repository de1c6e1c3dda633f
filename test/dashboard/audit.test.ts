// The audit log in the dashboard, by keyboard: filters, the export, and what is shown without entries.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { expectJson } from '../publishing/publishing-in-test.ts'
import {
  dashboard,
  enter,
  expectAccessibleAndFitting,
  rowOf,
  soon,
  startForAll,
} from './dashboard-in-test.ts'

const atMost = { timeout: 120_000 }
startForAll()

it('shows who changed what, filtered by keyboard, and exports the same', atMost, async () => {
  const { operator } = dashboard
  const member = await dashboard.member()
  const { email, id } = member.account
  const change = { method: 'PATCH', body: { plan: 'paid' } }
  expectJson(await operator.ask(`/accounts/${id}`, change), 200)
  expectJson(await operator.ask('/store/staging/keys', { body: { label: 'Shop window' } }), 201)
  const page = await enter('/')
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  const plan = rowOf(page, 'Plan changed')
  await plan.getByText('free → paid').waitFor()
  expect(await plan.innerText()).toContain(email)
  expect(await plan.innerText()).toContain(operator.account.email)
  expect(await plan.innerText()).toContain('127.0.0.1')
  await rowOf(page, 'Shop window').getByText('environment staging').waitFor()
  await expectAccessibleAndFitting(page)

  await page.keyboard.press('/')
  await page.keyboard.type(email)
  await page.keyboard.press('Enter')
  await rowOf(page, 'Shop window').waitFor({ state: 'detached' })
  await plan.waitFor({ state: 'detached' })
  await soon(() => page.getByRole('row').count()).toBe(3)
  await page.getByLabel('Area').selectOption('Accounts')
  await soon(() => page.getByRole('row').count()).toBe(2)
  await rowOf(page, 'Account created').getByText('one-time link').waitFor()

  await page.getByRole('button', { name: 'Export' }).focus()
  await page.keyboard.press('Enter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).press('Enter'),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(`,account.created,${id},${email},link,`)

  await page.getByLabel('Record').fill('nothing has this name')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No matching entries' }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await plan.waitFor()
})

it('shows members what they did and what was done to their account', atMost, async () => {
  const { operator } = dashboard
  const member = await dashboard.member()
  const other = await dashboard.member()
  for (const { id } of [member.account, other.account]) {
    const change = { method: 'PATCH', body: { plan: 'paid' } }
    expectJson(await operator.ask(`/accounts/${id}`, change), 200)
  }
  const page = await enter('/account', { colorScheme: 'dark', person: member })
  await page.getByRole('link', { name: 'show activity' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  const plan = rowOf(page, 'Plan changed')
  await plan.getByText('free → paid').waitFor()
  expect(await plan.innerText()).not.toContain('127.0.0.1')
  expect(await page.content()).not.toContain(other.account.email)
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ])
  const text = await readFile(await download.path(), 'utf8')
  expect(text).toContain(member.account.email)
  expect(text).not.toContain(other.account.email)
})
