// Records in the palette, by their names: those that the server finds, those that pages have loaded, and what was opened last.
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useQueryClient,
} from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import * as icons from '../components/icons.tsx'
import { useEnvironment, useGet } from '../platform/requests.ts'
import { type Account, recentItemsKey as key, tryStorage } from '../platform/session.ts'

/** A record at its address. */
export interface RecordItem extends RecentItem {
  icon: ReactNode
}

interface RecordGroup {
  title: string
  items: RecordItem[]
}

/** By the first word of the ID. */
const iconsOfKinds: Record<string, ReactNode> = {
  project: <icons.BookIcon />,
  domain: <icons.GlobeIcon />,
  animal: <icons.PawIcon />,
  order: <icons.OrderIcon />,
  category: <icons.TagIcon />,
  member: <icons.PeopleIcon />,
}

export const withIcon = (item: RecentItem): RecordItem => ({
  ...item,
  icon: iconsOfKinds[item.id.split(' ', 1)[0] ?? ''],
})

const projectItem = ({ name, slug }: { name: string; slug: string }): RecordItem =>
  withIcon({ id: `project ${slug}`, title: name, detail: slug, to: `/projects/${slug}` })

const domainItem = (host: string, slug: string, detail: string): RecordItem =>
  withIcon({
    id: `domain ${host} ${slug}`,
    title: host,
    detail,
    to: `/projects/${slug}/settings/domains?domain=${encodeURIComponent(host)}`,
  })

/** What the server finds for a text, in its order. */
export function useFoundRecords(account: Account, text: string) {
  const environment = useEnvironment()
  const isOperator = account.role === 'operator'
  // The requests of an earlier text are aborted.
  const options = { enabled: text !== '', placeholderData: keepPreviousData, retry: false }
  const ofOperator = { ...options, enabled: options.enabled && isOperator }
  const published = useGet('GET /search', { query: { text } }, options)
  const stored = useGet('GET /store/{environment}/search', { query: { text } }, ofOperator)
  const members = useGet('GET /accounts', { query: { text, limit: 5 } }, ofOperator)
  const { domains = [], projects = [] } = published.data ?? {}
  const { animals = [], categories = [], orders = [] } = stored.data ?? {}
  const store = `/store/${environment}`
  const all = [published, ...(isOperator ? [stored, members] : [])]
  return {
    projects: projects.map(projectItem),
    domains: domains.map(({ host, project }) => domainItem(host, project.slug, project.name)),
    /** Of the store and its members. */
    others: [
      {
        title: `Animals in ${environment}`,
        items: animals.map(({ id, name, status }) =>
          withIcon({
            id: `animal ${environment} ${id}`,
            title: name,
            detail: `${id}, ${status}`,
            to: `${store}/animals?id=${id}`,
          }),
        ),
      },
      {
        title: `Orders in ${environment}`,
        items: orders.map(({ id, petId, status }) =>
          withIcon({
            id: `order ${environment} ${id}`,
            title: `Order ${id}`,
            detail: `animal ${petId}, ${status}`,
            to: `${store}/orders?petId=${petId}`,
          }),
        ),
      },
      {
        title: `Categories in ${environment}`,
        items: categories.map(({ id, name }) =>
          withIcon({
            id: `category ${environment} ${id}`,
            title: name,
            detail: String(id),
            to: `${store}/animals?categoryId=${id}`,
          }),
        ),
      },
      {
        title: 'Members',
        items: (members.data?.items ?? []).map(({ email, id, name }) =>
          withIcon({
            id: `member ${id}`,
            title: name,
            detail: email,
            to: `/members?text=${encodeURIComponent(email)}`,
          }),
        ),
      },
    ] satisfies RecordGroup[],
    isPending: all.some(({ isFetching }) => isFetching),
    hasFailed: all.some(({ isError }) => isError),
  }
}

/** Projects and domains of the pages that were opened. */
export function useKnownRecords(): { projects: RecordItem[]; domains: RecordItem[] } {
  const client = useQueryClient()
  const read = <Data,>(isRead: (key: QueryKey) => boolean): [QueryKey, Data][] =>
    client
      .getQueriesData<Data>({
        queryKey: ['projects'],
        predicate: ({ queryKey }) => isRead(queryKey),
      })
      .flatMap(([key, data]) => (data === undefined ? [] : [[key, data] as [QueryKey, Data]]))
  const isList = ([, second]: QueryKey) => String(second).includes('=')
  const lists = read<InfiniteData<Answer<'GET /projects'>>>(
    (key) => key.length === 2 && isList(key),
  )
  const opened = read<Answer<'GET /projects/{slug}'>>((key) => key.length === 2 && !isList(key))
  const domains = read<Answer<'GET /projects/{slug}/domains'>>(
    ([, , third, ...rest]) => third === 'domains' && rest.length === 0,
  )
  const projects = [
    ...opened.map(([, project]) => project),
    ...lists.flatMap(([, { pages }]) => pages.flatMap(({ items }) => items)),
  ]
  const names = new Map(projects.map(({ name, slug }) => [slug, name]))
  return {
    projects: [...names].map(([slug, name]) => projectItem({ name, slug })),
    domains: domains.flatMap(([[, slug], { items }]) =>
      items.map(({ host }) => domainItem(host, String(slug), names.get(String(slug)) ?? '')),
    ),
  }
}

interface RecentItem {
  id: string
  title: string
  detail: string
  /** Its address in the dashboard. */
  to: string
}

const maxItems = 5

/** What was opened from the palette, the newest first. Kept in the browser, for one account, until it signs out. */
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
