// One-time links in a real browser, and what can go wrong on the way. From the set-up link to a published project:
// test/dashboard/publishing.test.ts.

import { afterAll, describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import {
  acceptInvitation,
  closeBrowser,
  descriptionOf,
  errors,
  fill,
  password,
  press,
  refused,
  signedInAs,
  visitor,
  visitPages,
  waitForHeading,
} from './page-visitors.ts'

const dead = 'This link no longer works'

afterAll(closeBrowser)

describe('an invitation', () => {
  it('can be accepted with the keyboard, for the address that it names', async () => {
    const { addresses, complaints, page, invite, origin } = await visitPages()
    const link = await invite({ email: 'max@example.com' })
    await page.goto(link)
    await waitForHeading(page, 'Create your account')
    expect(page.url()).toBe(`${origin}/invitation`)
    const email = page.getByLabel('Email')
    expect(await email.inputValue()).toBe('max@example.com')
    expect(await email.isEditable()).toBe(false)
    expect(await descriptionOf(page, 'Email')).toBe('The invitation is for this address.')
    for (const key of ['Tab', 'Tab', 'M', 'a', 'x', 'Tab', 'Tab']) await page.keyboard.press(key)
    await page.keyboard.type(password)
    expect(await descriptionOf(page, 'Password')).toBe('20 characters: long enough.')
    await page.keyboard.press('Enter')
    await waitForHeading(page, 'Projects')
    await page.getByText('No projects yet').waitFor()
    expect(await signedInAs(page)).toEqual(['Max', 'max@example.com'])
    for (const name of ['Animals', 'Members', 'System']) {
      expect(await page.getByRole('link', { name }).count(), name).toBe(0)
    }
    expect(complaints).toEqual([])
    // No address has the token, and nothing is requested from elsewhere.
    expect(addresses.length).toBeGreaterThan(20)
    const all = addresses.filter(Boolean)
    expect(all.filter((address) => address.includes(new URL(link).hash.slice(1)))).toEqual([])
    expect(new Set(all.map((address) => new URL(address).origin))).toEqual(new Set([origin]))
  })

  if (isLong)
    it('warns a signed-in user that accepting switches the account', async () => {
      const { page, invite, origin } = await visitPages()
      await acceptInvitation(page, await invite(), 'Max')
      const ida = await invite({ email: 'ida@example.com' })
      await page.goto(ida)
      await page.getByText('You are signed in as Max (max@example.com).').waitFor()
      await page.getByRole('link', { name: 'Stay signed in as you are' }).click()
      await waitForHeading(page, 'Projects')
      expect(page.url()).toBe(`${origin}/`)
      await acceptInvitation(page, ida, 'Ida')
      expect(await signedInAs(page)).toEqual(['Ida', 'ida@example.com'])
    })
})

describe('a password link', () => {
  it('sets the password, and tells a password manager the account', async () => {
    const { complaints, page, operator, origin, passwordLink } = await visitPages()
    await page.goto(await passwordLink())
    await waitForHeading(page, 'Set a new password')
    const [email, secret] = [
      page.getByLabel('Email'),
      page.getByLabel('New password', { exact: true }),
    ]
    expect(await email.inputValue()).toBe('olga@example.com')
    expect(await email.getAttribute('autocomplete')).toBe('username')
    expect(await secret.getAttribute('autocomplete')).toBe('new-password')
    await secret.fill('three cups of tea')
    await press(page, 'Set password')
    await waitForHeading(page, 'Projects')
    expect((await (await operator()).ask('/session')).status).toBe(401)
    expect(complaints).toEqual([])

    const other = await visitor()
    await other.page.goto(origin)
    const known = other.page.getByLabel('Password', { exact: true })
    expect(await known.getAttribute('autocomplete')).toBe('current-password')
    await fill(other.page, { Email: 'olga@example.com', Password: 'three cups of tea' })
    await press(other.page, 'Sign in')
    await waitForHeading(other.page, 'Projects')
  })
})

describe('a form', () => {
  it('shows an error at each invalid field, focuses the first, and keeps the input', async () => {
    const { complaints, page, origin, setUpLink } = await visitPages()
    await page.goto(`${origin}/sign-in`)
    await page.getByRole('heading', { name: 'Not set up yet' }).waitFor()
    await page.goto(setUpLink)
    await press(page, 'Create account')
    expect(await errors(page)).toEqual([
      'Enter a name.',
      'Enter your email address.',
      'Enter a password.',
    ])
    expect(await page.locator(':focus').getAttribute('name')).toBe('name')
    expect(await page.locator('[aria-invalid=true]').count()).toBe(3)
    expect(await descriptionOf(page, 'Your name')).toBe('Enter a name.')

    await fill(page, { 'Your name': 'Max', Email: 'max', Password: 'eleven cups' })
    expect(await errors(page)).toEqual([])
    expect(await descriptionOf(page, 'Password')).toBe('11 of at least 12 characters.')
    await press(page, 'Create account')
    expect(await errors(page)).toEqual([
      'Enter an email address such as rosa@example.com.',
      'Use at least 12 characters.',
    ])
    expect(complaints).toEqual([])

    await fill(page, { Email: 'max@example.com.', Password: password })
    await press(page, 'Create account')
    await page.getByText(/^It must be an e-?mail address such as/).waitFor()
    expect(await errors(page)).toHaveLength(1)
    await fill(page, { Email: 'password1234@example.com', Password: 'password1234' })
    await press(page, 'Create account')
    await page.locator('[name=password][aria-invalid=true]').waitFor()
    expect(await page.locator(':focus').getAttribute('name')).toBe('password')
    expect(await page.getByLabel('Your name').inputValue()).toBe('Max')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('password1234')
    const answers = [400, 400].map((status) => expect.stringContaining(refused(status)))
    expect(complaints).toEqual(answers)
  })

  if (isLong)
    it('shows the password on request, and never sends it while shown', async () => {
      const { page, invite } = await visitPages()
      await page.goto(await invite())
      const field = page.getByLabel('Password', { exact: true })
      await fill(page, { 'Your name': 'Max', Password: password })
      await press(page, 'Show password')
      expect(await field.getAttribute('type')).toBe('text')
      await press(page, 'Hide password')
      expect(await field.getAttribute('type')).toBe('password')
      await press(page, 'Show password')
      const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
      let sent = 0
      await page.route('**/api/invitations/accept', async (route) => {
        sent++
        await mayGoOn
        await route.continue()
      })
      await press(page, 'Create account')
      const button = page.getByRole('button', { name: 'Creating account…' })
      await button.waitFor()
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await field.getAttribute('type')).toBe('password')
      // As an impatient user or a password manager's script does.
      await button.click({ force: true })
      await field.press('Enter')
      goOn()
      await waitForHeading(page, 'Projects')
      expect(sent).toBe(1)
    })

  if (isLong)
    it('keeps the input when the server is unreachable or busy', async () => {
      const { page, invite } = await visitPages()
      await page.goto(await invite())
      await fill(page, { 'Your name': 'Max', Password: password })
      const body = JSON.stringify({ code: 'unavailable', message: 'Busy.', status: 503 })
      for (const response of [
        { status: 502, body: '<h1>Bad gateway' },
        { status: 404, body: '{}' },
        { status: 503, body },
      ]) {
        await page.route('**/api/invitations/accept', (route) => route.fulfill(response))
        await press(page, 'Create account')
        await page.getByRole('alert').getByText('What you typed is still here').waitFor()
        await page.unroute('**/api/invitations/accept')
      }
      await page.context().setOffline(true)
      await press(page, 'Create account')
      await page.getByRole('alert').getByText('The server does not respond.').waitFor()
      expect(await page.getByLabel('Your name').inputValue()).toBe('Max')
      await page.context().setOffline(false)
      await press(page, 'Create account')
      await waitForHeading(page, 'Projects')
    })
})

describe('an invalid link', () => {
  it('that was used says what to do for its kind', async () => {
    const { complaints, page, operator, origin, setUpLink } = await visitPages()
    await operator()
    for (const [link, remedy] of [
      [setUpLink, 'The program prints a set-up link at every start until an account exists.'],
      [`${origin}/invitation#neverwas`, 'Ask an operator for a new link.'],
      [`${origin}/password#${'x'.repeat(200)}`, 'Ask an operator for a new link.'],
    ] as const) {
      await page.goto(link)
      await waitForHeading(page, dead)
      await page.getByText(remedy).waitFor()
      expect(page.url()).not.toContain('#')
    }
    const answers = [410, 410, 400].map((status) => expect.stringContaining(refused(status)))
    expect(complaints).toEqual(answers)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await waitForHeading(page, 'Sign in')
  })

  if (isLong)
    it('that expired while its form was open, was used by the same user, or is incomplete', async () => {
      const { complaints, invite, origin, page, store } = await visitPages()
      for (const path of ['/set-up', '/invitation', '/password#']) {
        await page.goto(origin + path)
        await waitForHeading(page, 'This link is incomplete')
      }
      expect(complaints).toEqual([])
      const link = await invite()
      await acceptInvitation(page, link, 'Max')
      await page.goto(link)
      await waitForHeading(page, dead)
      await page.getByText('You are signed in as Max (max@example.com).').waitFor()
      await page.getByRole('link', { name: 'Continue' }).click()
      await waitForHeading(page, 'Projects')
      await page.context().clearCookies()
      await page.goto(await invite({ email: 'ida@example.com' }))
      await fill(page, { 'Your name': 'Ida', Password: password })
      store.clock.now += 8 * 24 * 60 * 60_000
      await press(page, 'Create account')
      await waitForHeading(page, dead)
      await page.getByText('Ask an operator for a new link.').waitFor()
    })
})

describe('a link', () => {
  it('survives a reload and an unreachable server', async () => {
    const { page, invite } = await visitPages()
    await page.route('**/api/**', (route) => route.abort())
    await page.goto(await invite())
    await waitForHeading(page, 'The server does not respond')
    await page.unroute('**/api/**')
    await press(page, 'Try again')
    await waitForHeading(page, 'Create your account')
    await page.reload()
    await waitForHeading(page, 'Create your account')
  })

  if (isLong)
    it('is read when it is pasted over another one, and shows the form of its kind at any page', async () => {
      const { invite, origin, page, passwordLink } = await visitPages()
      await page.goto(`${origin}/invitation#neverwas`)
      await waitForHeading(page, dead)
      await page.goto(await invite())
      await waitForHeading(page, 'Create your account')
      expect(page.url()).toBe(`${origin}/invitation`)
      await page.goto((await passwordLink()).replace('/password#', '/invitation#'))
      await waitForHeading(page, 'Set a new password')
    })
})
