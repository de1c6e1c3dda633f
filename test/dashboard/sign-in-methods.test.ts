// How an account signs in, in Chromium and by keyboard. Passkeys with a virtual authenticator (WebDriver, "Virtual
// Authenticators"): added, used, refused by the user, removed. Codes: turned on, required, replaced and turned off. An
// identity provider: connected, used, refused, cancelled, unreachable, removed. The email address: confirmed by the link that
// is sent to it through a real mail server, and changed.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeOf, stepAt } from '#accounts/sign-in/one-time-code.ts'
import { fromBase32 } from '../accounts/one-time-codes.ts'
import { type ProviderInTest, startProvider } from '../accounts/provider-in-test.ts'
import { phone } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import {
  login,
  type MailServer,
  startMailServer,
  trustMailServer,
} from '../domain-events/mail-server.ts'
import { password } from '../publishing/publishing-in-test.ts'
import { withLogin } from '../with-login.ts'
import { dashboard, enter, startDashboard, startForAll } from './dashboard-in-test.ts'
import { endDialog, expectAccessibleAndFitting, notice, open, rowOf, soon } from './screen.ts'

let provider: ProviderInTest
let server: MailServer
let restoreTrust: () => void
beforeAll(async () => {
  restoreTrust = trustMailServer()
  server = await startMailServer()
  provider = await startProvider(() => `${dashboard.origin}/sign-in/callback`)
})
// After the dashboard is released: such hooks run in reverse order.
afterAll(async () => {
  await provider?.close()
  await server?.close()
  restoreTrust()
})
startForAll(() => {
  const { clientId, clientSecret, name } = provider.settings()
  const oidc = `${withLogin(provider.origin, clientId, clientSecret)}/?name=${name}`
  return { env: { OIDC_URL: oidc, SMTP_URL: server.url } }
})

const confirmButton = (page: Page) => page.getByRole('button', { name: 'Confirm', exact: true })

it('the address is confirmed by the link, on another device, once', async () => {
  const owner = await dashboard.visitor({ colorScheme: 'dark' })
  await open(owner.page, '/account')
  await owner.page.getByText('Email address not confirmed').waitFor()
  await expectAccessibleAndFitting(owner.page)
  await owner.page.getByRole('button', { name: 'Send confirmation link' }).click()
  const { email } = dashboard.operator.account
  await notice(owner.page, `A link was sent to ${email}.`).waitFor()
  await soon(() => server.received.length).toBe(1)
  const [mail] = server.received
  expect(mail).toMatchObject({ to: email, user: login.user, isEncrypted: true })
  const link = mail?.text.match(/http\S+#\S+/)?.[0] ?? ''

  const reader = await dashboard.stranger({ ...phone, colorScheme: 'light' })
  await reader.page.goto(link)
  await confirmButton(reader.page).waitFor()
  await expectAccessibleAndFitting(reader.page)
  // The secret does not stay in the address bar.
  expect(reader.page.url()).not.toContain('#')
  await confirmButton(reader.page).click()
  await reader.page.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
  await dashboard.leave(reader)

  const late = await dashboard.stranger()
  await late.page.goto(link)
  await confirmButton(late.page).click()
  await late.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await expectAccessibleAndFitting(late.page)
  await dashboard.leave(late, [410])

  await owner.page.reload()
  await owner.page.getByText(/^Email address confirmed/).waitFor()
  await dashboard.leave(owner)
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

it('passkeys are added, sign in, and are removed', async () => {
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

it('a code is turned on, required at sign-in, and turned off', async () => {
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

// First of the provider's: what it says of itself is not known yet.
if (isLong)
  it('says why nobody was signed in', async () => {
    const { page } = await dashboard.stranger()
    const button = page.getByRole('button', { name: 'Sign in with Example ID' })
    const heading = (name: string) => page.getByRole('heading', { level: 1, name })
    provider.isDown = true
    await page.goto('/sign-in')
    await button.click()
    await page.getByText('Example ID does not respond as expected. Try again later.').waitFor()
    await expectAccessibleAndFitting(page)
    provider.isDown = false
    dashboard.store.clock.now += 6000
    provider.person = { sub: 'unknown', email: 'unknown@example.com', email_verified: true }
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

it('creates the account of an invitation, with a password later', async () => {
  const response = await dashboard.operator.post('/invitations', { email: 'nora@example.com' })
  const { link } = response.json as { link: string }
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

// Last: the operator of the tests above signs in by the first address.
it('the address changes to a new address when its link is confirmed', async () => {
  const owner = await dashboard.visitor({ colorScheme: 'light' })
  const { email } = dashboard.operator.account
  const change = async (to: string) => {
    const profile = owner.page.getByRole('form', { name: 'Profile' })
    await profile.getByLabel('Email').fill(to)
    await profile.getByLabel('Current password', { exact: true }).fill(password)
    await profile.getByRole('button', { name: 'Save' }).click()
    await notice(owner.page, `A link was sent to ${to}.`).waitFor()
    await owner.page.getByText('New email address not confirmed').waitFor()
  }
  await open(owner.page, '/account')
  await change('other@example.com')
  await expectAccessibleAndFitting(owner.page)
  await owner.page.getByRole('button', { name: 'Cancel change' }).click()
  await owner.page.getByText(/^Email address confirmed/).waitFor()
  await change('olga@example.org')
  const mail = server.received.find(({ to }) => to === 'olga@example.org')
  const told = server.received.filter(({ to, text }) => to === email && text.includes('is to use'))
  expect(told).toHaveLength(2)

  const reader = await dashboard.stranger({ ...phone, colorScheme: 'dark' })
  await reader.page.goto(mail?.text.match(/http\S+#\S+/)?.[0] ?? '')
  await confirmButton(reader.page).click()
  await reader.page.getByRole('heading', { name: 'Email address confirmed' }).waitFor()
  await dashboard.leave(reader)
  await owner.page.reload()
  await owner.page.getByText(/^Email address confirmed/).waitFor()
  expect(await owner.page.getByLabel('Email').inputValue()).toBe('olga@example.org')
  await dashboard.leave(owner)
})
