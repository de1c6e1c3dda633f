// Sign-in and sessions in a real browser. test/dashboard/every-page.test.ts looks at each page; at which hosts they are:
// test/management/hosts.test.ts.

import type { Response } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { findAccessibilityProblems } from '../browser/axe.ts'
import { isLong } from '../cases.ts'
import {
  acceptInvitation,
  closeBrowser,
  fill,
  password,
  press,
  refused,
  returnToTab,
  signedInAs,
  signOut,
  visitPages,
  waitForHeading,
} from './page-visitors.ts'

afterAll(closeBrowser)

describe('signing in', () => {
  it('shows that email or password is wrong, and after too many attempts how long to wait', async () => {
    const { complaints, page, operator, origin } = await visitPages()
    await operator()
    await page.goto(`${origin}/sign-in`)
    await fill(page, { Email: 'olga@example.com', Password: 'wrong' })
    let response: Response | undefined
    while (response?.status() !== 429) {
      const [next] = await Promise.all([
        page.waitForResponse('**/api/session'),
        press(page, 'Sign in'),
      ])
      response = next
      if (next.status() !== 401) continue
      await page.getByText('Incorrect email or password.').waitFor()
      expect(await page.locator(':focus').getAttribute('name')).toBe('password')
    }
    const retryAfter = response.headers()['retry-after']
    const alert = page.getByRole('alert').getByText('Too many attempts.')
    await alert.waitFor()
    expect(await alert.textContent()).toContain(`Try again in ${retryAfter} seconds, at `)
    expect(await page.getByLabel('Email').inputValue()).toBe('olga@example.com')
    await page.getByText('Forgot your password?').click()
    await page.getByText('Ask an operator for a link').waitFor()
    expect(complaints.at(0)).toContain(refused(401))
    expect(complaints.at(-1)).toContain(refused(429))
  })

  it('is required for a deep link, and then returns to it', async () => {
    const { complaints, page, operator, origin } = await visitPages()
    await operator()
    await page.goto(`${origin}/store/staging/animals?status=sold`)
    await waitForHeading(page, 'Sign in')
    expect(await page.getByText('Your session has ended.').count()).toBe(0)
    await fill(page, { Email: 'olga@example.com', Password: password })
    await press(page, 'Sign in')
    await waitForHeading(page, 'Animals')
    expect(page.url()).toBe(`${origin}/store/staging/animals?status=sold`)
    expect(complaints).toEqual([expect.stringContaining(refused(401))])
  })

  if (isLong)
    it('redirects to no other site', async () => {
      const { addresses, page, invite, origin } = await visitPages()
      await acceptInvitation(page, await invite(), 'Max')
      for (const next of [
        '//evil.example/',
        '/\\evil.example/',
        '/\t/evil.example/',
        '/.//evil.example/',
        'https://evil.example/',
        'javascript:alert(1)',
      ]) {
        // A signed-in user is redirected at once.
        await page.goto(`${origin}/sign-in?next=${encodeURIComponent(next)}`)
        await waitForHeading(page, 'Projects')
        expect(page.url(), next).toBe(`${origin}/`)
      }
      const asked = addresses.filter(Boolean).map((address) => new URL(address).origin)
      expect(new Set(asked)).toEqual(new Set([origin]))
    })

  it('is requested in a dialog when the session has ended, which keeps the input', async () => {
    const { page, invite, store } = await visitPages()
    await acceptInvitation(page, await invite(), 'Max')
    await press(page, 'New project')
    await fill(page, { Name: 'My docs' })
    store.clock.now += 100 * 24 * 60 * 60_000
    await press(page, 'Create project')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByText('What you typed is still here.').waitFor()
    expect(await findAccessibilityProblems(page)).toEqual([])
    await dialog.getByLabel('Password', { exact: true }).fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('Incorrect email or password.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Name').inputValue()).toBe('My docs')
    await press(page, 'Create project')
    await waitForHeading(page, 'My docs')
  })

  if (isLong)
    it('is requested again on return to the tab, and accepts another account', async () => {
      const { page, invite, operator, origin, store } = await visitPages()
      await operator()
      await acceptInvitation(page, await invite(), 'Max')
      await page.getByText('No projects yet').waitFor()
      store.clock.now += 100 * 24 * 60 * 60_000
      await returnToTab(page)
      await press(page, 'Use another account')
      await page.getByText('Your session has ended.').waitFor()
      await fill(page, { Email: 'olga@example.com', Password: password })
      await press(page, 'Sign in')
      await waitForHeading(page, 'Projects')
      expect(page.url()).toBe(`${origin}/`)
      expect(await signedInAs(page)).toEqual(['Somebody', 'olga@example.com'])
    })

  if (isLong)
    it('works where storage is blocked', async () => {
      const { complaints, page, operator, origin } = await visitPages()
      await operator()
      await page.addInitScript(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
      )
      await page.goto(`${origin}/sign-in`)
      await fill(page, { Email: 'olga@example.com', Password: password })
      await press(page, 'Sign in')
      await waitForHeading(page, 'Projects')
      await press(page, 'Hide')
      await page.getByText('Next steps').waitFor({ state: 'hidden' })
      await signOut(page)
      await page.getByText('You have signed out.').waitFor()
      expect(complaints.filter((each) => !each.includes(refused(401)))).toEqual([])
    })

  if (isLong)
    it('shows projects and signs out once the server can be reached', async () => {
      const { page, invite, origin } = await visitPages()
      await acceptInvitation(page, await invite(), 'Max')
      // Another page of the same visit requests the list, which the first one was sent with.
      await page.goto(`${origin}/account`)
      await waitForHeading(page, 'Account')
      await page.route('**/api/projects*', (route) => route.abort())
      await page.getByRole('link', { name: 'Projects', exact: true }).click()
      await page.getByRole('alert').getByText('The server does not respond.').waitFor()
      await page.unroute('**/api/projects*')
      await press(page, 'Try again')
      await page.getByText('No projects yet').waitFor()
      await page.context().setOffline(true)
      await signOut(page)
      await page.getByText('The server does not respond. Try again in a moment.').waitFor()
      await page.getByText('The server does not respond. Reconnecting…').waitFor()
      await page.context().setOffline(false)
      await signOut(page)
      await page.getByText('You have signed out.').waitFor()
    })

  if (isLong)
    it('selects what cannot be copied', async () => {
      const { page, invite } = await visitPages()
      await page.addInitScript(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
      )
      await acceptInvitation(page, await invite(), 'Max')
      await press(page, 'New project')
      await fill(page, { Name: 'My docs' })
      await press(page, 'Create project')
      await waitForHeading(page, 'My docs')
      await page.getByText('Deploy from the command line').click()
      await press(page, 'Copy the commands')
      await page
        .getByRole('status')
        .getByText(/^(Copied|Selected: .*)\.$/)
        .waitFor({ state: 'attached' })
      expect(await page.evaluate('String(getSelection())')).toContain('--project my-docs')
    })
})

it('shows that JavaScript is required if it is off', async () => {
  const { page, setUpLink } = await visitPages({ javaScriptEnabled: false })
  await page.goto(setUpLink)
  await page.getByText('This page needs JavaScript.').waitFor()
})
