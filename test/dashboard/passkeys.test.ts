// Passkeys in Chromium with a virtual authenticator (WebDriver, "Virtual Authenticators"), by keyboard: added, used to
// sign in, refused by the user, removed.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { password } from '../publishing/publishing-in-test.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  notice,
  open,
  rowOf,
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
  const visitor = await dashboard.visitor({}, member)
  const { page } = visitor
  const device = await plugIn(page)
  const dialog = page.getByRole('dialog')
  await open(page, '/account')
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
  await dashboard.leave(visitor)
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
