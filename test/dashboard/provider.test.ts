// Sign-in by an identity provider in Chromium: connected under Account, used, refused, cancelled, unreachable, removed.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ProviderInTest, startProvider } from '../accounts/provider-in-test.ts'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { password } from '../publishing/publishing-in-test.ts'
import { withLogin } from '../with-login.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  notice,
  open,
  startDashboard,
} from './dashboard-in-test.ts'

let dashboard: DashboardInTest
let provider: ProviderInTest
beforeAll(async () => {
  provider = await startProvider(() => `${dashboard.origin}/sign-in/callback`)
  const { clientId, clientSecret, name } = provider.settings()
  dashboard = await startDashboard({
    env: {
      OIDC_URL: `${withLogin(provider.origin, clientId, clientSecret)}/?name=${name}`,
    },
  })
})
afterAll(async () => {
  await provider?.close()
  await dashboard?.release()
})

if (isLong)
  it('says that the provider does not respond, and later does', async () => {
    const { page } = await dashboard.stranger()
    const button = page.getByRole('button', { name: 'Sign in with Example ID' })
    provider.isDown = true
    await page.goto('/sign-in')
    await button.click()
    await page.getByText('Example ID does not respond as expected. Try again later.').waitFor()
    await expectAccessibleAndFitting(page)
    provider.isDown = false
    dashboard.store.clock.now += 6000
    provider.person = undefined
    await button.click()
    await page.getByRole('heading', { level: 1, name: 'Sign-in cancelled' }).waitFor()
    await page.context().close()
  })

it('connects an identity, signs in with it, and removes it', { timeout: 180_000 }, async () => {
  const member = await dashboard.member()
  const { complaints, page } = await dashboard.visitor({}, member)
  const dialog = page.getByRole('dialog')
  const section = page.getByRole('region', { name: 'Identity provider' })
  provider.person = { sub: 'maria-1', email: 'maria@example.com', email_verified: true }
  await open(page, '/account')
  await section.getByText('Not connected').waitFor()
  await section.getByRole('button', { name: 'Connect Example ID' }).press('Enter')
  await dialog.getByLabel('Current password', { exact: true }).fill(password)
  await expectAccessibleAndFitting(page)
  await page.keyboard.press('Enter')
  await section.getByText('maria@example.com').waitFor()
  expect(page.url()).toBe(`${dashboard.origin}/account`)
  await expectAccessibleAndFitting(page)

  const guest = await dashboard.stranger(phone)
  await guest.page.goto('/projects/new?x=1')
  await guest.page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor()
  await expectAccessibleAndFitting(guest.page)
  await guest.page.getByRole('button', { name: 'Sign in with Example ID' }).press('Enter')
  await guest.page.waitForURL(`${dashboard.origin}/projects/new?x=1`)
  await open(guest.page, '/account')
  await guest.page.getByText('by identity provider').first().waitFor()
  await expectAccessibleAndFitting(guest.page)
  await guest.page.context().close()

  await section.getByRole('button', { name: 'Remove maria@example.com' }).press('Enter')
  await dialog.getByText('Sessions that it has started stay signed in.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).press('Enter')
  await notice(page, 'maria@example.com is removed.').waitFor()
  await section.getByText('Not connected').waitFor()
  expect(complaints).toEqual([])
  await page.context().close()
})

if (isLong)
  it('says why nobody was signed in', async () => {
    const { page } = await dashboard.stranger()
    const button = page.getByRole('button', { name: 'Sign in with Example ID' })
    const heading = (name: string) => page.getByRole('heading', { level: 1, name })
    provider.person = { sub: 'unknown', email: 'unknown@example.com', email_verified: true }
    await page.goto('/sign-in')
    await button.click()
    await heading('No account for this identity').waitFor()
    expect(page.url()).toBe(`${dashboard.origin}/sign-in/callback`)
    await expectAccessibleAndFitting(page)
    await page.reload()
    await heading('This sign-in cannot be continued').waitFor()
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await button.waitFor()

    // Without the provider's session, which would sign the same person in again.
    await page.context().clearCookies()
    provider.person = undefined
    await button.click()
    await heading('Sign-in cancelled').waitFor()
    await page.getByText('You were not signed in at Example ID.').waitFor()
    await expectAccessibleAndFitting(page)

    // A callback that was not started in this browser.
    await page.goto('/sign-in/callback?code=x&state=y')
    await heading('This sign-in cannot be continued').waitFor()
    await page.context().close()
  })

it('creates the account of an invitation, with a password later', {
  timeout: 120_000,
}, async () => {
  const answer = await dashboard.operator.ask('/invitations', {
    body: { email: 'nora@example.com' },
  })
  const { link } = answer.json as { link: string }
  provider.person = { sub: 'nora-1', email: 'nora@example.org', name: 'Nora' }
  const { page } = await dashboard.stranger()
  await page.goto(link)
  await page.getByRole('button', { name: 'Continue with Example ID' }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Continue with Example ID' }).click()
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  await open(page, '/account')
  const form = page.getByRole('form', { name: 'Password' })
  await form.getByRole('button', { name: 'Set password' }).waitFor()
  await expectAccessibleAndFitting(page)
  // Nothing is offered that would ask for a password.
  await page.getByText('A stolen password alone is not enough. Set a password first.').waitFor()
  expect(await page.getByRole('button', { name: 'Turn on' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove nora@example.org' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Set a password under Account first.').waitFor()
  await page.keyboard.press('Escape')
  await form.getByLabel('New password', { exact: true }).fill(password)
  await form.getByRole('button', { name: 'Set password' }).click()
  await form.getByRole('button', { name: 'Change password' }).waitFor()
  await page.getByRole('button', { name: 'Turn on' }).waitFor()
  await page.context().close()
})
