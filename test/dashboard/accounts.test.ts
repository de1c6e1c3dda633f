// The account page and the members page of the dashboard, only through the user interface.

import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Visitor } from '../browser/chromium.ts'
import { isLong } from '../cases.ts'
import { password } from '../publishing/publishing-in-test.ts'
import {
  dashboard,
  endDialog,
  notice,
  open,
  rowOf,
  soon,
  startForAll,
} from './dashboard-in-test.ts'

const atMost = { timeout: 120_000 }
let visitor: Visitor
let page: Page
/** The error statuses that a test expects from the server. */
let refused: number[]
startForAll()
beforeEach(async () => {
  visitor = await dashboard.visitor()
  page = visitor.page
  refused = []
})
afterEach(() => dashboard.leave(visitor, refused))

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')

it(
  'changes the name; the email address requires the password and a mail server',
  atMost,
  async () => {
    const member = await dashboard.member()
    await page.context().close()
    visitor = await dashboard.visitor({}, member)
    page = visitor.page
    await open(page, '/account')
    await page.getByText('This server cannot send mail: ask an operator.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
    await button('Save').click()
    await notice(page, 'Your profile is saved.').waitFor()
    await page.getByRole('button', { name: /account of Grace Hopper/ }).waitFor()

    const profile = page.getByRole('form', { name: 'Profile' })
    await profile.getByLabel('Email').fill('grace@example.com')
    await profile.getByLabel('Current password', { exact: true }).fill('a wrong one')
    await button('Save').click()
    refused = [401]
    const field = profile.getByLabel('Current password', { exact: true })
    await soon(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await profile.getByLabel('Email').inputValue()).toBe('grace@example.com')
    await field.fill(password)
    await button('Save').click()
    refused = [401, 409]
    await profile.getByText('This server cannot send mail').waitFor()
    const { email } = (await member.ask('/account')).json as { email: string }
    expect(email).not.toBe('grace@example.com')
  },
)

it('creates a token, which works until it is revoked', atMost, async () => {
  await open(page, '/account')
  // An operator is not told to ask an operator.
  await page.getByText('This server cannot send mail: set SMTP_URL and restart it.').waitFor()
  await page.keyboard.press('n')
  await dialog().getByLabel('Name').fill('Continuous integration')
  // The palette does not cover a dialog.
  await page.keyboard.press('Control+k')
  expect(await page.getByRole('dialog', { name: 'Search' }).count()).toBe(0)
  await dialog().getByRole('button', { name: 'Create token' }).click()
  const token = await dialog().locator('[data-secret]').innerText()
  const status = async (): Promise<number> =>
    (await dashboard.anonymous('/projects', { token })).status
  expect(await status()).toBe(200)
  expect((await dashboard.anonymous('/projects', { token, body: { name: 'X' } })).status).toBe(403)
  // What was not copied cannot be closed by mistake.
  await page.keyboard.press('Escape')
  expect(await dialog().getByRole('button', { name: 'Close' }).count()).toBe(0)
  await dialog().getByRole('button', { name: 'Copy the access token' }).click()
  await dialog().getByRole('button', { name: 'Close' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(token)
  await rowOf(page, 'Continuous integration')
    .getByRole('button', { name: /^Revoke/ })
    .click()
  await dialog().getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('heading', { name: 'No access tokens' }).waitFor()
  expect(await status()).toBe(401)
})

if (isLong)
  it('ends another session, which then has to sign in again', atMost, async () => {
    const elsewhere = await dashboard.visitor({ userAgent: 'Mozilla/5.0 (Windows) Firefox/140.0' })
    await open(elsewhere.page, '/account')
    await open(page, '/account')
    await button('Sign out Firefox on Windows').first().click()
    await notice(page, 'The session is signed out.').waitFor()
    await elsewhere.page.reload()
    await elsewhere.page
      .getByText(/sign in/i)
      .first()
      .waitFor()
    await elsewhere.page.context().close()
  })

it('invites a member, changes their plan, and deletes the account', atMost, async () => {
  await open(page, '/members')
  await button('Invite').click()
  await dialog().getByLabel('Email').fill('no address')
  await dialog().getByRole('button', { name: 'Create link' }).click()
  const field = dialog().getByLabel('Email')
  await soon(() => field.getAttribute('aria-invalid')).toBe('true')
  await field.fill('alan@example.com')
  await dialog().getByRole('button', { name: 'Create link' }).click()
  const link = await dialog().locator('[data-secret]').innerText()
  await endDialog(page)
  await rowOf(page, 'alan@example.com').waitFor()

  const guest = await dashboard.stranger()
  await guest.page.goto(link)
  await guest.page.getByLabel('Name').fill('Alan Turing')
  await guest.page.getByLabel('Password', { exact: true }).fill('the imitation game')
  await guest.page.getByRole('button', { name: /account/i }).click()
  await guest.page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  // A member has no links to the operators' pages, and is told at their addresses.
  const ways = guest.page.getByRole('navigation', { name: 'Main' })
  expect(await ways.getByRole('link').allInnerTexts()).toEqual(['Projects', 'Account'])
  for (const path of ['/system', '/store/production/animals']) {
    await guest.page.goto(path)
    await guest.page.getByText('This page is for operators').waitFor()
  }
  await guest.page.context().close()

  await page.reload()
  const plan = page.getByLabel('Plan of Alan Turing')
  await plan.selectOption('paid')
  await notice(page, 'Alan Turing is now on the paid plan.').waitFor()
  await button('Undo').click()
  await soon(() => plan.inputValue()).toBe('free')

  // A role is confirmed, with what it means. A page that is open then says who may see it.
  const role = page.getByLabel('Role of Alan Turing')
  await role.selectOption('operator')
  await dialog().getByText('Operators see and change all projects').waitFor()
  await dialog().getByRole('button', { name: 'Make operator' }).click()
  await notice(page, 'Alan Turing is now an operator.').waitFor()
  await role.selectOption('member')
  await dialog().getByText('pending invitations by Alan Turing are revoked').waitFor()
  await dialog().getByRole('button', { name: 'Make member' }).click()
  await soon(() => role.inputValue()).toBe('member')

  await button('More for Alan Turing').click()
  await page.getByRole('menuitem', { name: 'Create password link' }).click()
  await dialog().getByRole('button', { name: 'Create link' }).click()
  expect(await dialog().locator('[data-secret]').innerText()).toContain(`${dashboard.origin}/`)
  await endDialog(page)

  await button('More for Alan Turing').click()
  await page.getByRole('menuitem', { name: 'Delete account' }).click()
  await dialog().getByRole('button', { name: 'Delete account' }).click()
  await notice(page, 'The account of Alan Turing is deleted.').waitFor()
  await rowOf(page, 'Alan Turing').waitFor({ state: 'detached' })
})
