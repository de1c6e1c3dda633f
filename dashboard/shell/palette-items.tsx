// What the palette lists for a text. Pages, settings, actions, and the projects and domains that pages have loaded, match
// here; records are found by the server, and only those that the account can see. What arrives later is added below what is
// shown, and what matches by its letters alone comes last. What was opened last is kept in the browser.
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  type InfiniteData,
  keepPreviousData,
  type QueryKey,
  useQueryClient,
} from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import * as icons from '../components/icons.tsx'
import { projectTabs, settingsSections } from '../platform/project-tabs.ts'
import { type EnvironmentName, useEnvironment, useGet, useSlug } from '../platform/requests.ts'
import { type Account, recentItemsKey as key, signOut, tryStorage } from '../platform/session.ts'
import { type Mark, matchText, ranks } from './match-text.ts'
import { navigationOf } from './navigation.tsx'

export interface PaletteItem {
  id: string
  title: string
  /** Beside the title: where it is, or what its ID is. */
  detail?: string | undefined
  icon?: ReactNode
  /** Of the title, for what was typed. */
  marks?: readonly Mark[]
  run: () => void | Promise<void>
}

interface PaletteGroup {
  title: string
  items: PaletteItem[]
}

type RankedItem = PaletteItem & { rank: number }
interface RankedGroup {
  title: string
  items: RankedItem[]
}

/** Of the pages of a project, by the end of their addresses. */
const projectIcons: Record<string, ReactNode> = {
  '': <icons.BookIcon />,
  deploys: <icons.UploadIcon />,
  analytics: <icons.ChartIcon />,
  domains: <icons.GlobeIcon />,
  members: <icons.PeopleIcon />,
  tokens: <icons.KeyIcon />,
  danger: <icons.WarningIcon />,
}

const debounceMs = 150
const maxOfGroup = 8

/** The groups for a typed text, and whether some of them are still being fetched. */
export function usePaletteGroups(account: Account, typed: string) {
  const text = typed.trim()
  const [asked] = useDebouncedValue(text, debounceMs)
  const open = useOpen(account)
  const found = useFoundRecords(account, asked)
  const known = useKnownRecords()
  const fixed = useFixedItems(account, open)
  const [recent] = useState(() => readRecentItems(account.id))
  if (text === '') {
    const items = recent.map((item) => {
      const same = fixed.flatMap((group) => group.items).find(({ id }) => id === item.id)
      return { ...(same ?? open(withIcon(item))), id: `recent ${item.id}` }
    })
    const groups = [{ title: 'Recent', items }, ...fixed]
    return { groups: withItems(groups), isPending: false, hasFailed: false }
  }
  const isPending = asked !== text || found.isPending
  const local: RankedGroup[] = [
    ...fixed,
    { title: 'Projects', items: known.projects.map(open) },
    { title: 'Domains', items: known.domains.map(open) },
  ].map(({ items, title }) => ({ title, items: rankItems(text, items) }))
  const close = local
    .map(({ items, title }) => ({ title, items: items.filter(({ rank }) => rank < ranks.letters) }))
    .sort((a, b) => (a.items[0]?.rank ?? 99) - (b.items[0]?.rank ?? 99))
  // Those for an earlier text are shown meanwhile if they match this one.
  const markFound = (items: RecordItem[]): PaletteItem[] =>
    items.flatMap((item) => {
      const match = matchText(text, item.title, item.detail)
      if (!match && isPending) return []
      return [{ ...open(item), marks: match?.marks ?? [] }]
    })
  const added = new Map([
    ['Projects', markFound(found.projects)],
    ['Domains', markFound(found.domains)],
  ])
  const groups: PaletteGroup[] = [
    ...close.map(({ items, title }) => ({
      title,
      items: withoutDoubles([...items.slice(0, maxOfGroup), ...(added.get(title) ?? [])]),
    })),
    ...found.others.map(({ items, title }) => ({ title, items: markFound(items) })),
  ]
  const listed = new Set(groups.flatMap(({ items }) => items.map(({ id }) => id)))
  const similar = local
    .flatMap(({ items }) => items.filter(({ rank }) => rank >= ranks.letters))
    .filter(({ id }) => !listed.has(id))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxOfGroup)
  // Last, so they wait until all others are there.
  if (!isPending) groups.push({ title: 'Similar', items: similar })
  return { groups: withItems(groups), isPending, hasFailed: found.hasFailed }
}

const withItems = (groups: PaletteGroup[]): PaletteGroup[] =>
  groups.filter(({ items }) => items.length > 0)

function rankItems(text: string, items: PaletteItem[]): RankedItem[] {
  return items
    .flatMap((item) => {
      const match = matchText(text, item.title, item.detail)
      return match ? [{ ...item, ...match }] : []
    })
    .sort((a, b) => a.rank - b.rank)
}

/** Each at its first place. */
function withoutDoubles(items: PaletteItem[]): PaletteItem[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

/** Gives an item that opens its address, and is among the recent ones after that. */
function useOpen(account: Account) {
  const navigate = useNavigate()
  return ({ to, ...item }: Omit<RecordItem, 'icon'> & { icon?: ReactNode }): PaletteItem => ({
    ...item,
    run() {
      noteRecentItem(account.id, { ...item, to })
      void navigate(to)
    },
  })
}

function useFixedItems(account: Account, open: ReturnType<typeof useOpen>): PaletteGroup[] {
  const environment = useEnvironment()
  const slug = useSlug()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isOperator = account.role === 'operator'
  /** Opens a page, and the form of its button for a new record. */
  const add = (title: string, to: string): PaletteItem => ({
    id: `add ${to}`,
    title,
    icon: <icons.PlusIcon />,
    async run() {
      // The page before may be shown for a while yet, and may have such a button, too.
      const old = pathname === to ? null : document.querySelector(newButton)
      await navigate(to)
      clickWhenShown(newButton, old)
    },
  })
  const other: EnvironmentName = environment === 'production' ? 'staging' : 'production'
  const store = `/store/${environment}`
  const pages = navigationOf(account, environment).flatMap(([group, items]) =>
    items.map(({ icon, title, to }) => open({ id: to, title, detail: group, icon, to })),
  )
  const project = `/projects/${slug}`
  const tabs = projectTabs
    .filter(({ path }) => !path.startsWith('/settings'))
    .map(({ path, title }) => ({ id: path.slice(1), title, to: project + path, detail: slug }))
  const settings = settingsSections.map(({ id, title }) => ({
    id,
    title,
    to: `${project}/settings/${id}`,
    detail: `settings of ${slug}`,
  }))
  const dark = colorScheme === 'dark'
  return [
    ...(slug === ''
      ? []
      : [
          {
            title: 'This project',
            items: [...tabs, ...settings].map(({ id, ...page }) =>
              open({ id: page.to, icon: projectIcons[id] ?? <icons.SettingsIcon />, ...page }),
            ),
          },
        ]),
    { title: 'Pages', items: pages },
    {
      title: 'Actions',
      items: [
        add('New project', '/'),
        ...(slug === '' ? [] : [add('Create deploy token', `${project}/settings/tokens`)]),
        ...(isOperator
          ? [
              add('Add animal', `${store}/animals`),
              add('Place order', `${store}/orders`),
              add('Create API key', `${store}/keys`),
              add('Invite member', '/members'),
              {
                id: 'environment',
                title: `Switch to ${other}`,
                detail: 'store',
                icon: <icons.RefreshIcon />,
                run: () =>
                  void navigate(
                    pathname.startsWith('/store/')
                      ? pathname.replace(/^\/store\/\w+/, `/store/${other}`)
                      : `/store/${other}/animals`,
                  ),
              },
            ]
          : []),
        add('Create access token', '/account'),
        {
          id: 'appearance',
          title: dark ? 'Light appearance' : 'Dark appearance',
          icon: <icons.AppearanceIcon />,
          run: () => setColorScheme(dark ? 'light' : 'dark'),
        },
        {
          id: 'sign out',
          title: 'Sign out',
          icon: <icons.SignOutIcon />,
          run: () => void signOut(),
        },
      ],
    },
  ]
}

const newButton = '[data-shortcut="new"]'
const maxWaitMs = 60_000

/** Clicks an element as soon as the page shows it, unless it is left before. `old` is that of the page before. */
function clickWhenShown(selector: string, old: Element | null): void {
  const { pathname } = window.location
  const click = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector)
    if (element === null || element === old) return false
    element.click()
    return true
  }
  if (click()) return
  const observer = new MutationObserver(() => {
    if (window.location.pathname !== pathname || click()) observer.disconnect()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), maxWaitMs)
}

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
