// How an account signs in, in Chromium and by keyboard. Passkeys with a virtual authenticator (WebDriver, "Virtual
// Authenticators"): added, used, refused by the user, removed. Codes: turned on, required, replaced and turned off.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { codeOf, stepAt } from '#accounts/sign-in/one-time-code.ts'
import { fromBase32 } from '../accounts/one-time-codes.ts'
import { password } from '../publishing/publishing-in-test.ts'
import {
  dashboard,
  endDialog,
  enter,
  expectAccessibleAndFitting,
  notice,
  open,
  rowOf,
  soon,
  startDashboard,
  startForAll,
} from './dashboard-in-test.ts'

startForAll()

/** A device whose user confirms; `setVerified(false)`: whose user does not. */
async function plugIn(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    setVerified: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

it('are added, sign in, and are removed', async () => {
  const member = await dashboard.member()
  const page = await enter('/account', { person: member })
  const device = await plugIn(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('heading', { name: 'No passkeys' }).waitFor()
  await page.getByRole('button', { name: 'Add passkey' }).press('Enter')
  await soon(() => page.locator(':focus').getAttribute('name')).toBe('label')
  await page.keyboard.type('Laptop')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await device.setVerified(false)
  await page.keyboard.press('Enter')
  await dialog.getByText('No passkey was used.').waitFor()
  await expectAccessibleAndFitting(page)
  await device.setVerified(true)
  await page.keyboard.press('Enter')
  await notice(page, 'Laptop is added. You can sign in with it.').waitFor()
  await rowOf(page, 'Laptop').getByText('Never').waitFor()
  await expectAccessibleAndFitting(page)

  expect(
    (await page.request.delete('/api/session', { headers: { origin: dashboard.origin } })).status(),
  ).toBe(204)
  await page.evaluate('localStorage.clear()')
  await page.goto('/sign-in')
  const button = page.getByRole('button', { name: 'Sign in with a passkey' })
  await button.waitFor()
  await expectAccessibleAndFitting(page)
  await device.setVerified(false)
  await button.press('Enter')
  await page.getByRole('alert').getByText('No passkey was used.').waitFor()
  await device.setVerified(true)
  await button.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()

  await open(page, '/account')
  await page.getByText('by passkey').waitFor()
  await rowOf(page, 'Laptop').getByText('Never').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove Laptop' }).press('Enter')
  await dialog.getByLabel('Current password', { exact: true }).fill(password)
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
  await page.getByRole('heading', { name: 'No passkeys' }).waitFor()
})

it('are asked for where the operator requires a second factor', async () => {
  const strict = await startDashboard({ env: { REQUIRE_SECOND_FACTOR: 'all' } })
  try {
    const visitor = await strict.visitor()
    const { page } = visitor
    await plugIn(page)
    await page.goto('/members')
    await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor()
    await page.getByRole('heading', { name: 'No passkeys' }).waitFor()
    await expectAccessibleAndFitting(page)
    const goOn = page.getByRole('button', { name: 'Continue' })
    expect(await goOn.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Add passkey' }).press('Enter')
    await soon(() => page.locator(':focus').getAttribute('name')).toBe('label')
    await page.keyboard.type('Key')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await rowOf(page, 'Key').waitFor()
    await goOn.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    const { complaints } = visitor
    expect(complaints.every((text) => text.includes('a status of 403 '))).toBe(true)
  } finally {
    await strict.release()
  }
})

it('is turned on, required at sign-in, and turned off', async () => {
  const member = await dashboard.member()
  const page = await enter('/account', { person: member, refused: [401, 401] })
  const { clock } = dashboard.store
  const dialog = page.getByRole('dialog')
  const section = page.getByRole('region', { name: 'Two-factor authentication' })
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
})
