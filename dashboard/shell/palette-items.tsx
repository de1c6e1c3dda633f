// What the palette lists for a text. Pages, settings, actions, and the projects and domains that pages have loaded, match
// here; records are found by the server, and only those that the account can see. What arrives later is added below what is
// shown, and what matches by its letters alone comes last.
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import * as icons from '../components/icons.tsx'
import { projectTabs, settingsSections } from '../platform/project-tabs.ts'
import { type EnvironmentName, useEnvironment, useSlug } from '../platform/requests.ts'
import { type Account, signOut } from '../platform/session.ts'
import { type Mark, matchText, ranks } from './match-text.ts'
import { navigationOf } from './navigation.tsx'
import {
  noteRecentItem,
  type RecordItem,
  readRecentItems,
  useFoundRecords,
  useKnownRecords,
  withIcon,
} from './palette-records.tsx'

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
