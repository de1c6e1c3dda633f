// What was opened from the palette, the newest first. Kept in the browser, for one account, until it signs out.
import { recentItemsKey as key, tryStorage } from '../platform/session.ts'

export interface RecentItem {
  id: string
  title: string
  detail: string
  /** Its address in the dashboard. */
  to: string
}

const maxItems = 5

export function readRecentItems(account: string): RecentItem[] {
  const text = tryStorage((storage) => storage.getItem(key)) ?? ''
  try {
    const stored: unknown = JSON.parse(text)
    if (!isObject(stored) || stored.account !== account || !Array.isArray(stored.items)) return []
    return stored.items.flatMap(readItem).slice(0, maxItems)
  } catch {
    return []
  }
}

export function noteRecentItem(account: string, { detail, id, title, to }: RecentItem): void {
  const others = readRecentItems(account).filter((each) => each.id !== id)
  const items = [{ id, title, detail, to }, ...others].slice(0, maxItems)
  tryStorage((storage) => storage.setItem(key, JSON.stringify({ account, items })))
}

function readItem(stored: unknown): RecentItem[] {
  if (!isObject(stored)) return []
  const { detail, id, title, to } = stored
  if (typeof id !== 'string' || typeof title !== 'string' || typeof detail !== 'string') return []
  // No other site.
  return typeof to === 'string' && /^\/(?!\/)/.test(to) ? [{ id, title, detail, to }] : []
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
