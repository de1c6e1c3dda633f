// Signing in and being in, in a real browser; and what holds for all pages of accounts: who reads them, on
// what, and where they are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Page, Response } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { findBarriers } from '../browser/axe.ts'
import { phone } from '../browser/chromium.ts'
import { ask } from '../running-store.ts'
import {
  acceptInvitation,
  closeBrowser,
  comeBack,
  fill,
  press,
  refused,
  seeHeading,
  startWithPages,
  visitor,
} from './page-visitors.ts'

const root = join(import.meta.dirname, '../..')

afterAll(closeBrowser)

describe('signing in', () => {
  it('says what does not belong together, and after too many attempts how long to wait', async () => {
    const { complaints, page } = await visitor()
    const { operator, origin } = await startWithPages()
    await operator('/account')
    await page.goto(`${origin}/sign-in`)
    await fill(page, { 'E-mail': 'olga@example.com', Password: 'wrong' })
    let answer: Response | undefined
    while (answer?.status() !== 429) {
      const [next] = await Promise.all([
        page.waitForResponse('**/api/session'),
        press(page, 'Sign in'),
      ])
      answer = next
      if (next.status() !== 401) continue
      await page.getByText('E-mail and password do not belong together.').waitFor()
      expect(await page.locator(':focus').getAttribute('name')).toBe('password')
    }
    const retryAfter = answer.headers()['retry-after']
    const alert = page.getByRole('alert').getByText('Too many attempts have failed.')
    await alert.waitFor()
    expect(await alert.textContent()).toContain(`Try again in ${retryAfter} seconds, at `)
    expect(await page.getByLabel('E-mail').inputValue()).toBe('olga@example.com')
    await page.getByText('Forgotten your password?').click()
    await page.getByText('Ask your operator for a link').waitFor()
    expect(complaints.at(0)).toContain(refused(401))
    expect(complaints.at(-1)).toContain(refused(429))
  })

  it.each([
    ['something is done', (page: Page) => press(page, 'Make an access token')],
    ['somebody comes back', comeBack],
  ] as const)('is asked for again when the session has ended and %s', async (_, act) => {
    const { page } = await visitor()
    const { invite, store } = await startWithPages()
    await acceptInvitation(page, await invite(), 'Max', 'max@example.com')
    store.clock.now += 100 * 24 * 60 * 60_000
    await act(page)
    await seeHeading(page, 'Sign in')
    await page.getByText('Your session has ended.').waitFor()
  })

  it('shows what is published once that can be found out, and signs out once that can be done', async () => {
    const { page } = await visitor()
    const { invite } = await startWithPages()
    await page.route('**/api/projects*', (route) => route.abort())
    await acceptInvitation(page, await invite(), 'Max', 'max@example.com')
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await page.unroute('**/api/projects*')
    await press(page, 'Try again')
    await page.getByText('You have no project yet.').waitFor()
    await page.context().setOffline(true)
    await press(page, 'Sign out')
    await page.getByRole('alert').getByText('The server does not answer.').waitFor()
    await page.context().setOffline(false)
    await press(page, 'Sign out')
    await page.getByText('You have signed out.').waitFor()
  })

  it('selects what cannot be copied', async () => {
    const { page } = await visitor()
    const { invite } = await startWithPages()
    await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await acceptInvitation(page, await invite(), 'Max', 'max@example.com')
    await press(page, 'Copy: Deploy a folder')
    await page.getByRole('status').getByText('Selected.').waitFor({ state: 'attached' })
    expect(await page.evaluate('String(getSelection())')).toContain('--project my-docs --create')
  })
})

describe('the pages', () => {
  it.each([
    ['light', 'a desktop', {}],
    ['dark', 'a phone', phone],
    ['light', 'a phone', phone],
    ['dark', 'a desktop', {}],
  ] as const)('keep nobody out, %s on %s', async (colorScheme, _, options) => {
    const { page } = await visitor({ ...options, colorScheme, reducedMotion: 'reduce' })
    const { invite, origin, passwordLink } = await startWithPages()
    const look = async (name: string): Promise<void> => {
      await seeHeading(page, name)
      expect(await findBarriers(page), name).toEqual([])
      const overhang = 'document.documentElement.scrollWidth - innerWidth'
      expect(await page.evaluate(overhang), name).toBeLessThanOrEqual(0)
    }
    await page.goto(origin)
    await page.getByText('Forgotten your password?').click()
    await press(page, 'Sign in')
    await look('Sign in')
    await page.goto(`${origin}/set-up`)
    await look('This link is not complete')
    await page.goto(`${origin}/invitation#neverwas`)
    await look('This link does not work any more')
    await page.goto(await passwordLink())
    await look('Set a new password')
    await page.goto(await invite())
    await press(page, 'Make the account')
    await look('Make your account')
    await acceptInvitation(page, await invite(), 'Max', 'max@example.com')
    await press(page, 'Make an access token')
    await page.getByText('is in the commands').waitFor()
    await page.getByText('Without the program').click()
    await look('You are in')
  })

  it('say that they need JavaScript where there is none', async () => {
    const { page } = await visitor({ javaScriptEnabled: false })
    const { setUpLink } = await startWithPages()
    await page.goto(setUpLink)
    await page.getByText('This page cannot work without JavaScript.').waitFor()
  })

  it('are on the host of the dashboard, by name or address, and nowhere else', async () => {
    const { store } = await startWithPages()
    const { httpPort } = store.running.config
    const isAt = async (host: string): Promise<boolean> => {
      const base = new URL(`http://${host}:${httpPort}`)
      const { text } = await ask(httpPort, base, '', 'sign-in', { key: null })
      return text.includes('/account-pages/page.js')
    }
    expect(await isAt('localhost')).toBe(true)
    expect(await isAt('127.0.0.1')).toBe(true)
    expect(await isAt('192.0.2.7')).toBe(true)
    expect(await isAt('staging.localhost')).toBe(false)
    expect(await isAt('animal-store.docs.localhost')).toBe(false)
  })

  it('have scripts whose types are right', async () => {
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const script = 'server/platform/accounts/pages/page.js'
    const kind = '--ignoreConfig --noEmit --allowJs --checkJs --skipLibCheck'
    const rules = '--strict --noUncheckedIndexedAccess --noImplicitReturns --noUnusedLocals'
    const setting =
      '--target esnext --module nodenext --lib esnext,dom,dom.iterable --allowImportingTsExtensions'
    const words = `${kind} ${rules} ${setting} --types node`.split(' ')
    const check = spawn(process.execPath, [compiler, ...words, script], { cwd: root })
    let said = ''
    check.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    const [status] = await once(check, 'close')
    expect(said).toBe('')
    expect(status).toBe(0)
  })
})
