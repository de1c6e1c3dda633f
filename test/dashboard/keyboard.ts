// A user of the keyboard only: each element is reached with Tab, and what has the focus is marked and in view.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { soon } from './screen.ts'

/** What has the focus, by its accessible name, if it is marked, and in view if it must be; otherwise empty. */
const focused = (page: Page, isInView = true): Promise<string> =>
  page.evaluate<string>(`{
    const at = document.activeElement
    const { bottom, top } = at.getBoundingClientRect()
    const isSeen = (!${isInView} || bottom > 0 && top < innerHeight) && at.matches(':focus-visible') &&
      (at.matches('input, select, textarea') || getComputedStyle(at).outlineStyle !== 'none')
    isSeen ? at.getAttribute('aria-label') ?? at.labels?.[0]?.innerText ?? at.innerText : ''
  }`)

/** What has this name has the focus, in view; without a name anything, such as a heading above what is gone. */
export const expectFocus = (page: Page, name?: string | RegExp): Promise<void> =>
  soon(() => focused(page, name !== undefined)).toMatch(name ?? /./)

export const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement)

/** Presses Tab until it has the focus. */
export async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 120 && !(await hasFocus(target)); presses++)
    await page.keyboard.press(key)
  expect(await hasFocus(target), `reaches ${target}`).toBe(true)
  expect(await focused(page)).not.toBe('')
}

export async function pressKey(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press(key)
}

/** Opens the menu of the button that has the focus, and chooses with the arrow keys. */
export async function chooseItem(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Enter')
  const items = page.getByRole('menuitem')
  await items.first().waitFor()
  await soon(() =>
    page.evaluate<boolean>("document.activeElement.matches('[role=menuitem]')"),
  ).toBe(true)
  for (let i = await items.count(); i > 0 && (await focused(page)) !== name; i--)
    await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe(name)
  await page.keyboard.press('Enter')
}

export async function confirm(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await pressKey(page, dialog.getByRole('button', { name: verb, exact: true }))
  await dialog.waitFor({ state: 'detached' })
}
