// An email address is confirmed by the link that is sent to it, through a real mail server and the screen.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { phone } from '../browser/chromium.ts'
import {
  login,
  type MailServer,
  startMailServer,
  trustMailServer,
} from '../domain-events/mail-server.ts'
import { password } from '../publishing/publishing-in-test.ts'
import {
  type DashboardInTest,
  expectAccessibleAndFitting,
  notice,
  open,
  soon,
  startDashboard,
} from './dashboard-in-test.ts'

let dashboard: DashboardInTest
let server: MailServer
let restoreTrust: () => void
beforeAll(async () => {
  restoreTrust = trustMailServer()
  server = await startMailServer()
  dashboard = await startDashboard({ env: { SMTP_URL: server.url } })
})
afterAll(async () => {
  await dashboard?.release()
  await server?.close()
  restoreTrust()
})

const confirmButton = (page: Page) => page.getByRole('button', { name: 'Confirm', exact: true })

it('is confirmed by the link, on another device, once', async () => {
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

// Last: the operator of the tests above signs in by the first address.
it('changes to a new address when its link is confirmed', async () => {
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
