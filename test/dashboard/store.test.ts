// The store in the dashboard, only through the user interface: animals, orders, keys, imports, staging, and webhooks with a
// receiver whose responses the test decides.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { isLong } from '../cases.ts'
import { accept, answerWith, startReceiver } from '../webhooks/receiver.ts'
import { dashboard, enter, startForAll } from './dashboard-in-test.ts'
import { chooseItem, expectFocus, pressKey, tabTo } from './keyboard.ts'
import { endDialog, expectAccessibleAndFitting, notice, open, rowOf, soon } from './screen.ts'

let page: Page
startForAll({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } })

const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const choose = async (of: string, item: string): Promise<void> => {
  await button(`More for ${of}`).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('keys', () => {
  if (isLong)
    it('are sorted by the titles of columns', async () => {
      for (const label of ['Billing', 'Archive', 'Catalogue'])
        await dashboard.operator.post('/store/staging/keys', { label })
      page = await enter('/store/staging/keys')
      const labels = async () =>
        (await page.getByRole('rowheader').allInnerTexts())
          .map((text) => text.split('\n')[0] ?? '')
          .filter((label) => ['Billing', 'Archive', 'Catalogue'].includes(label))
      await soon(labels).toHaveLength(3)
      const title = page.getByRole('columnheader', { name: 'Key' })
      await title.getByRole('button').press('Enter')
      expect(await labels()).toEqual(['Archive', 'Billing', 'Catalogue'])
      expect(await title.getAttribute('aria-sort')).toBe('ascending')
      await title.getByRole('button').press('Enter')
      expect(await labels()).toEqual(['Catalogue', 'Billing', 'Archive'])
      expect(await title.getAttribute('aria-sort')).toBe('descending')
    })

  it('is created with scopes, shown once, used, rotated and revoked', async () => {
    const { store } = dashboard
    page = await enter('/store/staging/keys', { refused: [400] })
    await page.keyboard.press('n')
    await dialog().getByLabel('Selected:').check()
    await dialog().getByLabel('Rate limit').fill('many')
    await dialog().getByRole('button', { name: 'Create key' }).click()
    // All errors are shown at their fields, and the input stays.
    await dialog().getByText('The label is empty.').waitFor()
    const limit = dialog().getByLabel('Rate limit')
    expect(await limit.getAttribute('aria-invalid')).toBe('true')
    await dialog().getByLabel('Label').fill('Shop window')
    await limit.fill('100/60s')
    await dialog().getByRole('button', { name: 'Create key' }).click()
    const key = await dialog().locator('[data-secret]').innerText()
    expect(key).toMatch(/^as_test_/)

    expect((await store.askStaging('/pets?limit=1', { key })).status).toBe(200)
    const body = { name: 'Rex', categoryId: 1 }
    expect((await store.askStaging('/pets', { key, body })).status).toBe(403)
    expect((await store.askStaging('/pets/1', { key })).headers.deprecation).toBeDefined()
    await endDialog(page)
    expect(await page.content()).not.toContain(key)

    // Two of the same millisecond would have no order.
    store.clock.now += 1000
    await choose('Shop window', 'Rotate')
    await dialog().getByRole('button', { name: 'Rotate' }).click()
    const successor = await dialog().locator('[data-secret]').innerText()
    expect((await store.askStaging('/pets?limit=1', { key: successor })).status).toBe(200)
    await endDialog(page)

    await page.getByRole('button', { name: 'More for Shop window' }).last().click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await dialog().getByRole('button', { name: 'Revoke' }).click()
    await notice(page, 'Shop window is revoked.').waitFor()
    expect((await store.askStaging('/pets?limit=1', { key })).status).toBe(401)
    expect((await store.askStaging('/pets?limit=1', { key: successor })).status).toBe(200)
  })
})

describe('animals', () => {
  it('is added with every digit, changed, sold and deleted', async () => {
    page = await enter('/store/production/animals')
    await page.getByRole('heading', { name: 'No animals yet' }).waitFor()
    await button('Add the first animal').click()
    // All problems at once, and what is typed stays.
    for (const [name, problem] of [
      ['', 'Enter a name.'],
      ['W'.repeat(256), 'Use at most 255 characters.'],
    ] as const) {
      await dialog().getByLabel('Name').fill(name)
      await dialog().getByLabel('Category').fill('many')
      await dialog().getByRole('button', { name: 'Add animal' }).click()
      await dialog().getByText('Choose a category, or enter the ID of one.').waitFor()
      await dialog().getByText(problem).waitFor()
      expect(await dialog().getByLabel('Name').inputValue()).toBe(name)
    }
    await dialog().getByLabel('Name').fill('Rex')
    await dialog().getByLabel('Category').fill('9007199254740993')
    await dialog().getByRole('button', { name: 'Add animal' }).click()
    await notice(page, /^Rex is added with ID \d+\.$/).waitFor()
    await dialog().waitFor({ state: 'detached' })
    expect(await rowOf(page, 'Rex').innerText()).toContain('9007199254740993')
    const response = await dashboard.store.ask('/pets')
    expect(response.text).toContain('"categoryId":9007199254740993')

    await choose('Rex', 'Edit')
    await dialog().getByLabel('Name').fill('Rexine')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await rowOf(page, 'Rexine').waitFor()
    expect((await dashboard.store.ask('/pets')).text).toContain('"categoryId":9007199254740993')

    const status = page.getByLabel('Status of Rexine')
    await status.selectOption('sold')
    await notice(page, 'Rexine is sold.').waitFor()
    const sold = await dashboard.store.ask('/pets?status=sold')
    expect(sold.json).toHaveLength(1)
    await button('Undo').click()
    await soon(async () => (await dashboard.store.ask('/pets?status=sold')).json).toEqual([])
    await soon(() => status.inputValue()).toBe('available')

    await choose('Rexine', 'Delete')
    await page.getByRole('heading', { name: 'No animals yet' }).waitFor()
    // It can be undone first.
    expect((await dashboard.store.ask('/pets')).json).toHaveLength(1)
    await notice(page, 'Rexine deleted.').waitFor()
    await button('Undo').click()
    await choose('Rexine', 'Delete')
    await soon(async () => (await dashboard.store.ask('/pets')).json).toEqual([])
  })

  if (isLong)
    it('whose addition was not confirmed is sent once, and is in the list', async () => {
      page = await enter('/store/production/animals', { refused: [504] })
      let sent = 0
      await page.route('**/api/store/production/pets', async (route) => {
        if (route.request().method() !== 'POST') return await route.continue()
        sent++
        await route.fetch()
        const json = { code: 'outcome_unknown', message: 'Unknown.', status: 504 }
        await route.fulfill({ status: 504, json })
      })
      await button('Add the first animal').click()
      await dialog().getByLabel('Name').fill('Kira')
      await dialog().getByLabel('Category').fill('1')
      await dialog().getByRole('button', { name: 'Add animal' }).click()
      await dialog().getByText('Check the current state before you try again.').waitFor()
      await dialog().getByRole('button', { name: 'Close' }).click()
      await rowOf(page, 'Kira').waitFor()
      expect(sent).toBe(1)
      const { json } = await dashboard.store.ask('/pets')
      const [{ id } = { id: 0 }, ...others] = json as { id: number }[]
      expect(others).toEqual([])
      expect((await dashboard.store.ask(`/pets/${id}`, { method: 'DELETE' })).status).toBe(204)
    })

  if (isLong)
    it('is shown in its current version when somebody else changed it first', async () => {
      const made = { name: 'Otto', categoryId: 3 }
      const { json } = await dashboard.store.ask('/pets', { body: made })
      const { id } = json as { id: number }
      page = await enter(`/store/production/animals?id=${id}`, { refused: [412] })
      await choose('Otto', 'Edit')
      await dialog().getByLabel('Name').fill('Ottokar')
      const headers = { 'content-type': 'application/merge-patch+json' }
      const patch = { method: 'PATCH', body: { categoryId: 4 }, headers }
      const changed = await dashboard.store.ask(`/pets/${id}`, patch)
      expect([changed.status, changed.text]).toEqual([200, expect.anything()])
      await dialog().getByRole('button', { name: 'Save' }).click()
      await dialog().getByText('It is now Otto, category 4, available.').waitFor()
      await dialog().getByRole('button', { name: 'Save' }).click()
      await notice(page, 'Ottokar is saved.').waitFor()
      expect((await dashboard.store.ask(`/pets?id=${id}`)).json).toEqual([
        { id, name: 'Ottokar', categoryId: 3, status: 'available' },
      ])
    })

  if (isLong)
    it('are filtered and paged by the address and by the keyboard', async () => {
      page = await enter('/store/staging/animals')
      const first = () => page.getByRole('rowheader').first().innerText()
      const begin = await first()
      await page.keyboard.press('ArrowRight')
      await page.waitForURL(/cursor=/)
      await soon(first).not.toBe(begin)
      const second = await first()
      await page.reload()
      await soon(first).toBe(second)
      await page.keyboard.press('ArrowLeft')
      await soon(first).toBe(begin)
      await page.keyboard.press('ArrowRight')
      await soon(first).toBe(second)

      await page.getByLabel('Status', { exact: true }).selectOption('sold')
      await page.waitForURL((url) => url.search === '?status=sold')
      await soon(() => page.getByRole('row').count()).toBe(11)
      await page.getByText('10 animals', { exact: true }).waitFor()
      await page.goBack()
      await soon(first).toBe(second)
      await page.getByLabel('IDs').fill('3, 5')
      await page.keyboard.press('Enter')
      await page.waitForURL(/id=3%2C5/)
      await soon(() => page.getByRole('row').count()).toBe(3)
      await page.getByLabel('IDs').fill('999999')
      await page.keyboard.press('Enter')
      await button('Show all animals').click()
      await soon(first).toBe(begin)
    })
})

if (isLong)
  describe('many animals', () => {
    const animals = async () =>
      (await dashboard.store.askStaging('/pets?limit=100')).json as {
        id: number
        name: string
        status: string
      }[]
    const names = () => page.getByRole('rowheader').allInnerTexts()

    it('are found by name and category, and sorted by the titles of columns', async () => {
      page = await enter('/store/staging/animals')
      const all = await animals()
      await page.keyboard.press('/')
      const [{ name } = { name: '' }] = all
      // Without Enter: as it is typed, and typing goes on.
      await page.keyboard.type(name.slice(0, 1).toUpperCase())
      await page.waitForURL(/name=.(&|$)/)
      await page.keyboard.type(name.slice(1, 2).toUpperCase())
      await page.waitForURL(/name=../)
      const wanted = all
        .filter((one) => one.name.startsWith(name.slice(0, 2)))
        .map((one) => one.name)
      await soon(names).toEqual(wanted.toSorted().slice(0, 20))
      expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT')
      await page.getByLabel('Name').fill('')
      await page.waitForURL((url) => !url.searchParams.has('name'))
      const column = (title: string) => page.getByRole('columnheader', { name: title })
      // With a name the list is in the order of names: until that is rendered, a click would reverse it.
      await soon(() => column('Name').getAttribute('aria-sort')).toBe('none')
      await column('Name').getByRole('button').click()
      await soon(names).toEqual(
        all
          .map((one) => one.name)
          .toSorted()
          .slice(0, 20),
      )
      expect(await column('Name').getAttribute('aria-sort')).toBe('ascending')
      await column('Name').getByRole('button').press('Enter')
      await soon(names).toEqual(
        all
          .map((one) => one.name)
          .toSorted()
          .toReversed()
          .slice(0, 20),
      )
      expect(await column('Name').getAttribute('aria-sort')).toBe('descending')
      await column('ID').getByRole('button').click()
      await soon(names).toEqual(all.slice(0, 20).map((one) => one.name))

      const { items } = await dashboard.operator.read<{
        items: { id: number; name: string }[]
      }>('/store/staging/categories')
      const [category = { id: 0, name: '' }] = items
      await page.getByRole('combobox', { name: 'Category' }).fill(category.name.toLowerCase())
      await page.getByRole('option', { name: category.name }).first().click()
      await page.waitForURL(new RegExp(`categoryId=${category.id}`))
      const field = page.getByRole('combobox', { name: 'Category' })
      await soon(() => field.inputValue()).toBe(category.name)
    })

    it('keep a filter that was changed a moment before another one', async () => {
      page = await enter('/store/staging/animals?name=re')
      await soon(names).not.toEqual([])
      // The title is clicked while the page is still rendered with the old address.
      await page.evaluate(`
        const { pushState } = history
        const title = [...document.querySelectorAll('th button')].find((one) => one.innerText === 'Name')
        history.pushState = (...change) => {
          history.pushState = pushState
          history.pushState(...change)
          title.click()
        }
      `)
      await page.getByLabel('Name').fill('')
      await page.keyboard.press('Enter')
      await page.waitForURL(/sort=/)
      expect(new URL(page.url()).searchParams.has('name')).toBe(false)
    })

    it('change their status and are deleted together; both can be undone', async () => {
      page = await enter('/store/staging/animals?status=available&sort=name')
      const bar = page.getByRole('toolbar', { name: 'Selected animals' })
      const [first = '', second = ''] = await names()
      const states = async () =>
        (await animals())
          .filter(({ name }) => [first, second].includes(name))
          .map(({ status }) => status)
      expect(new Set(await states())).toEqual(new Set(['available']))
      // With Shift, a range.
      for (const count of [4, 0]) {
        await page.getByRole('checkbox').nth(1).click()
        await page
          .getByRole('checkbox')
          .nth(4)
          .click({ modifiers: ['Shift'] })
        if (count > 0) await bar.getByText(`${count} selected`).waitFor()
        else await bar.waitFor({ state: 'detached' })
      }
      // By keyboard.
      await page.reload()
      for (const name of [first, second])
        await pressKey(page, page.getByLabel(`Select ${name}`, { exact: true }), 'Space')
      await bar.getByText('2 selected').waitFor()
      await expectAccessibleAndFitting(page)
      await tabTo(page, bar.getByRole('button', { name: 'Set status' }), 'Shift+Tab')
      await chooseItem(page, 'Sold')
      await notice(page, '2 animals set to sold.').waitFor()
      await expectFocus(page)
      expect(new Set(await states())).toEqual(new Set(['sold']))
      await page.keyboard.press('z')
      await soon(async () => new Set(await states())).toEqual(new Set(['available']))
      await expectFocus(page)

      const before = (await animals()).length
      await rowOf(page, first).waitFor()
      await page.getByLabel('Select all 20').check()
      await tabTo(page, bar.getByRole('button', { name: 'Delete' }), 'Shift+Tab')
      await page.keyboard.press('Enter')
      await notice(page, '20 animals deleted.').waitFor()
      await rowOf(page, first).waitFor({ state: 'detached' })
      await expectFocus(page)
      await page.keyboard.press('z')
      await rowOf(page, first).waitFor()
      await expectFocus(page)
      expect(await animals()).toHaveLength(before)

      // A tab that is closed before the deletion was sent sends it then.
      const other = await dashboard.visitor()
      await open(other.page, '/store/staging/animals?status=available&sort=name')
      await other.page.getByLabel(`Select ${first}`, { exact: true }).check()
      await other.page.getByRole('button', { name: 'Delete' }).click()
      await notice(other.page, `${first} deleted.`).waitFor()
      expect(await animals()).toHaveLength(before)
      await other.page.close({ runBeforeUnload: true })
      await soon(async () => (await animals()).length).toBe(before - 1)
      await other.page.context().close()
      const body = { name: first, categoryId: 1 }
      await dashboard.operator.post('/store/staging/pets', body)
    })
  })

describe('an import', () => {
  const file = [
    'name,categoryId,status',
    'Bella,1,available',
    ',2,available',
    'Milo,9223372036854775807,sold',
    'Kiwi,many,gone',
  ].join('\n')
  const pick = (content: string, name = 'animals.csv') =>
    page.getByLabel('File to import').setInputFiles({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(content),
    })

  it('is previewed with its problems by line, and continues without them', async () => {
    page = await enter('/store/production/animals')
    const before = (await dashboard.store.ask('/pets?limit=100')).json as unknown[]
    await button('Import, export').click()
    await page.getByRole('menuitem', { name: 'Import a file' }).click()
    await pick(file)
    await dialog().getByText('2 records of 4 have problems').waitFor()
    const problems = dialog().getByRole('table', { name: 'Problems' })
    const lines = await problems.getByRole('row').allInnerTexts()
    expect(lines.slice(1).map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['3', 'name'],
      ['5', 'categoryId'],
      ['5', 'status'],
    ])
    const good = dialog().getByRole('table', { name: 'Animals to import' })
    expect(await good.innerText()).toContain('9223372036854775807')
    expect((await dashboard.store.ask('/pets?limit=100')).json).toEqual(before)

    await dialog().getByRole('button', { name: 'Import 2, skip 2' }).click()
    await dialog().getByText('2 animals imported').waitFor()
    await dialog().getByText('2 records with problems were skipped.').waitFor()
    const after = await dashboard.store.ask('/pets?limit=100')
    expect(after.json).toHaveLength(before.length + 2)
    expect(after.text).toContain('9223372036854775807')
    await endDialog(page)
    await rowOf(page, 'Milo').waitFor()
  })

  if (isLong)
    it('shows what cannot be read, and accepts another format', async () => {
      page = await enter('/store/production/animals')
      await button('Import, export').click()
      await page.getByRole('menuitem', { name: 'Import a file' }).click()
      await pick('[{"name":"Luna","categoryId":1}]', 'animals.txt')
      await dialog().getByLabel('Format').selectOption('json')
      await dialog().getByText('1 animal can be imported').waitFor()
      await pick('[{"name":"Luna",', 'animals.json')
      await dialog().getByText('The file could not be read completely').waitFor()
      expect(
        await dialog()
          .getByRole('button', { name: /^Import / })
          .count(),
      ).toBe(0)
    })
})

it('orders are placed, approved and delivered, and the animal is sold', async () => {
  const body = { name: 'Coco', categoryId: 1 }
  const { id } = (await dashboard.store.ask('/pets', { body })).json as { id: number }
  const statusOf = async (): Promise<unknown> =>
    ((await dashboard.store.ask(`/pets?id=${id}`)).json as { status: string }[])[0]?.status
  page = await enter(`/store/production/animals?id=${id}`, { refused: [409] })
  await choose('Coco', 'Place an order')
  await dialog().getByText('Coco is available.').waitFor()
  await dialog().getByRole('button', { name: 'Place order' }).click()
  await rowOf(page, 'Coco').getByText('placed').waitFor()
  expect(await statusOf()).toBe('pending')

  await rowOf(page, 'Coco')
    .getByRole('button', { name: /^Approve/ })
    .click()
  await rowOf(page, 'Coco').getByText('approved').waitFor()
  await rowOf(page, 'Coco')
    .getByRole('button', { name: /^Deliver/ })
    .click()
  await dialog().getByRole('button', { name: 'Deliver' }).click()
  await notice(page, 'Coco is sold.').waitFor()
  expect(await statusOf()).toBe('sold')

  await button('Place order').click()
  await dialog().getByLabel('Animal ID').fill(String(id))
  await dialog().getByRole('button', { name: 'Place order' }).click()
  await dialog().getByRole('alert').waitFor()
  expect(await dialog().getByLabel('Animal ID').inputValue()).toBe(String(id))
})

if (isLong)
  it('staging is clearly different from production, and can be reset', async () => {
    page = await enter('/store/production/animals')
    await button('Import, export').click()
    expect(await page.getByRole('menuitem', { name: 'Reset staging' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByText('Staging', { exact: true }).click()
    await page.waitForURL('**/store/staging/animals')
    await page.getByText(/^Staging: a copy/).waitFor()
    await page.getByText('50 animals', { exact: true }).waitFor()
    // What a program changes is shown without a reload.
    await dashboard.store.askStaging('/pets', { body: { name: 'Stray', categoryId: 1 } })
    await page.getByText('51 animals', { exact: true }).waitFor()
    await button('Import, export').click()
    await page.getByRole('menuitem', { name: 'Reset staging' }).click()
    await dialog().getByRole('button', { name: 'Reset staging' }).click()
    await notice(page, 'Staging has its 50 sample animals again.').waitFor()
    await page.getByText('50 animals', { exact: true }).waitFor()
    expect((await dashboard.store.askStaging('/pets?limit=100')).text).not.toContain('Stray')
  })

it('a webhook is created, tested, sends an event, redelivers it, is disabled and deleted', async () => {
  const receiver = await startReceiver(answerWith(500))
  const named = (name: string | RegExp) => page.getByRole('button', { name })

  page = await enter('/store/staging/webhooks', { refused: [400] })
  await named('Create webhook').click()
  await dialog().getByLabel('URL').fill('http://192.0.2.1/')
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  const address = dialog().getByLabel('URL')
  await soon(() => address.getAttribute('aria-invalid')).toBe('true')
  await address.fill(receiver.url)
  await dialog().getByLabel('Label').fill('Warehouse')
  await dialog().getByLabel('Selected:').check()
  await dialog().getByLabel('Animal added').check()
  await dialog().getByRole('button', { name: 'Create webhook' }).click()
  expect(await dialog().locator('[data-secret]').innerText()).toMatch(/^whsec_/)
  await endDialog(page)

  await named('Test Warehouse').click()
  await notice(page, /^The test of Warehouse failed: .*500/).waitFor()
  await dashboard.store.askStaging('/pets', { body: { name: 'Rex', categoryId: 1 } })
  await receiver.took(2)
  await named(/^Warehouse/).click()
  await named(/^pet\.created Pending/).click()
  await page.getByText(/500 in \d+ ms/).waitFor()

  receiver.reply = accept
  await named('Retry now').click()
  await receiver.took(3)
  await named(/^pet\.created Delivered/).waitFor()
  await page.getByText(/^Answered 204 in \d+ ms/).waitFor()
  expect(receiver.received.map(({ type }) => type)).toEqual([
    'webhook.test',
    'pet.created',
    'pet.created',
  ])

  await choose('Warehouse', 'Pause')
  await notice(page, 'Warehouse is paused.').waitFor()
  await named('Undo').click()
  await named(/^Warehouse Active/).waitFor()
  await choose('Warehouse', 'Delete')
  await dialog().getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
})
