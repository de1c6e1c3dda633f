// Two-factor authentication in the dashboard, by keyboard: turned on, required at sign-in, replaced and turned off.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeOf, stepAt } from '#accounts/sign-in/one-time-code.ts'
import { fromBase32 } from '../accounts/one-time-codes.ts'
import { password } from '../publishing/publishing-in-test.ts'
import {
  type DashboardInTest,
  endDialog,
  expectAccessibleAndFitting,
  notice,
  open,
  soon,
  startDashboard,
} from './dashboard-in-test.ts'

let dashboard: DashboardInTest
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(async () => {
  await dashboard?.release()
})

it('is turned on, required at sign-in, and turned off', async () => {
  const member = await dashboard.member()
  const visitor = await dashboard.visitor({}, member)
  const { page } = visitor
  const { clock } = dashboard.store
  const dialog = page.getByRole('dialog')
  const section = page.getByRole('region', { name: 'Two-factor authentication' })
  await open(page, '/account')
  await section.getByText('Off', { exact: true }).waitFor()
  await section.getByRole('button', { name: 'Turn on' }).press('Enter')
  await dialog.getByLabel('Current password', { exact: true }).waitFor()
  await page.keyboard.type('a wrong one')
  await page.keyboard.press('Enter')
  const field = dialog.getByLabel('Current password', { exact: true })
  await soon(() => field.getAttribute('aria-invalid')).toBe('true')
  await field.fill(password)
  await page.keyboard.press('Enter')
  const key = (await dialog.locator('code').innerText()).replaceAll(' ', '')
  const code = (): string => codeOf(fromBase32(key), stepAt(clock.now))
  await soon(() => page.locator(':focus').getAttribute('name')).toBe('code')
  await expectAccessibleAndFitting(page)
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await dialog.getByText('Incorrect code.').waitFor()
  await dialog.getByLabel('Code', { exact: true }).fill(code())
  await page.keyboard.press('Enter')
  const codes = (await dialog.locator('[data-secret]').innerText()).split('\n')
  expect(codes).toHaveLength(10)
  await expectAccessibleAndFitting(page)
  await endDialog(page)
  await section.getByText('10 recovery codes left.').waitFor()

  const guest = await dashboard.stranger()
  await guest.page.goto('/sign-in')
  await guest.page.getByLabel('Email').fill(member.account.email)
  await guest.page.getByLabel('Password', { exact: true }).fill(password)
  await guest.page.keyboard.press('Enter')
  const asked = guest.page.getByLabel('Code', { exact: true })
  await asked.waitFor()
  await soon(() => guest.page.locator(':focus').getAttribute('name')).toBe('code')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText('Enter a code.').waitFor()
  await expectAccessibleAndFitting(guest.page)
  await guest.page.keyboard.type('000000')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText('Incorrect code, or it was already used.').waitFor()
  await asked.fill(codes[0] ?? '')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  await dashboard.leave(guest, [401, 401])

  await page.reload()
  await section.getByText('9 recovery codes left.').waitFor()
  await page.getByText('by password and recovery code').waitFor()
  await section.getByRole('button', { name: 'Turn off' }).press('Enter')
  await field.fill(password)
  await page.keyboard.press('Enter')
  await notice(page, 'Two-factor authentication is off.').waitFor()
  await section.getByText('Off', { exact: true }).waitFor()
  await dashboard.leave(visitor, [401, 401])
})
