// Accounts in the dashboard, only through the user interface: the account page, the members page, and the audit log with its
// filters and its export.

import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { expectJson, type Person, password } from '../publishing/publishing-in-test.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { endDialog, expectAccessibleAndFitting, notice, open, rowOf, soon } from './screen.ts'

let page: Page
startForAll()

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')

/** The list as CSV, by keyboard. */
async function exported(): Promise<string> {
  await button('Export').focus()
  await page.keyboard.press('Enter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).press('Enter'),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  return await readFile(await download.path(), 'utf8')
}

async function becomePaid({ account: { id } }: Person): Promise<void> {
  const change = { method: 'PATCH', body: { plan: 'paid' } }
  expectJson(await dashboard.operator.ask(`/accounts/${id}`, change), 200)
}

// First: the only change of a plan so far.
it('shows who changed what, filtered by keyboard, and exports the same', async () => {
  const { operator } = dashboard
  const member = await dashboard.member()
  const { email, id } = member.account
  await becomePaid(member)
  expectJson(await operator.post('/store/staging/keys', { label: 'Shop window' }), 201)
  page = await enter('/')
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

  const lines = (await exported()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(`,account.created,${id},${email},link,`)

  await page.getByLabel('Record').fill('nothing has this name')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No matching entries' }).waitFor()
  await expectAccessibleAndFitting(page)
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await plan.waitFor()
})

it('changes the name; the email address requires the password and a mail server', async () => {
  const member = await dashboard.member()
  page = await enter('/account', { person: member, refused: [401, 409] })
  await page.getByText('This server cannot send mail: ask an operator.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await button('Save').click()
  await notice(page, 'Your profile is saved.').waitFor()
  await page.getByRole('button', { name: /account of Grace Hopper/ }).waitFor()

  const profile = page.getByRole('form', { name: 'Profile' })
  await profile.getByLabel('Email').fill('grace@example.com')
  await profile.getByLabel('Current password', { exact: true }).fill('a wrong one')
  await button('Save').click()
  const field = profile.getByLabel('Current password', { exact: true })
  await soon(() => field.getAttribute('aria-invalid')).toBe('true')
  expect(await profile.getByLabel('Email').inputValue()).toBe('grace@example.com')
  await field.fill(password)
  await button('Save').click()
  await profile.getByText('This server cannot send mail').waitFor()
  const { email } = await member.read<{ email: string }>('/account')
  expect(email).not.toBe('grace@example.com')
})

it('creates a token, which works until it is revoked', async () => {
  page = await enter('/account')
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
  it('ends another session, which then has to sign in again', async () => {
    const elsewhere = await dashboard.visitor({ userAgent: 'Mozilla/5.0 (Windows) Firefox/140.0' })
    await open(elsewhere.page, '/account')
    page = await enter('/account')
    await button('Sign out Firefox on Windows').first().click()
    await notice(page, 'The session is signed out.').waitFor()
    await elsewhere.page.reload()
    await elsewhere.page
      .getByText(/sign in/i)
      .first()
      .waitFor()
    await elsewhere.page.context().close()
  })

it('invites a member, changes their plan, and deletes the account', async () => {
  page = await enter('/members')
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

it('shows members what they did and what was done to their account', async () => {
  const [member, other] = [await dashboard.member(), await dashboard.member()]
  for (const person of [member, other]) await becomePaid(person)
  page = await enter('/account', { colorScheme: 'dark', person: member })
  await page.getByRole('link', { name: 'show activity' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  const plan = rowOf(page, 'Plan changed')
  await plan.getByText('free → paid').waitFor()
  expect(await plan.innerText()).not.toContain('127.0.0.1')
  expect(await page.content()).not.toContain(other.account.email)
  await expectAccessibleAndFitting(page)
  const text = await exported()
  expect(text).toContain(member.account.email)
  expect(text).not.toContain(other.account.email)
})
