// What the palette finds: pages, settings and actions by their titles, here; records by their names, on the server, and only
// those that the account can see.
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocation, useNavigate } from 'react-router'
import {
  BookIcon,
  GlobeIcon,
  OrderIcon,
  PawIcon,
  PeopleIcon,
  PlusIcon,
  TagIcon,
} from '../components/icons.tsx'
import { call } from '../platform/api.ts'
import { type EnvironmentName, useEnvironment, useSlug } from '../platform/requests.ts'
import { type Account, signOut } from '../platform/session.ts'
import { settingsSections } from '../platform/settings-sections.ts'
import { navigationOf } from './navigation.tsx'

export interface PaletteItem {
  id: string
  title: string
  /** Beside the title: where it is, or what its ID is. */
  detail?: string | undefined
  icon?: ReactNode
  run: () => void
}

export interface PaletteGroup {
  title: string
  items: PaletteItem[]
}

const debounceMs = 150
/** Before something is typed, pages and actions are listed. */
const maxStatic = 8

/** The groups for a typed text, and whether some of them are still being fetched. */
export function usePaletteGroups(account: Account, typed: string) {
  const text = typed.trim()
  const [asked] = useDebouncedValue(text, debounceMs)
  const found = useFoundRecords(account, asked)
  const fixed = useFixedItems(account)
  const words = text.toLowerCase().split(/\s+/)
  // Each word is the beginning of one.
  const isMatch = ({ detail = '', title }: PaletteItem): boolean =>
    words.every((word) => ` ${title} ${detail}`.toLowerCase().includes(` ${word}`))
  const matching = fixed.map(({ items, title }) => ({
    title,
    items: (text === '' ? items : items.filter(isMatch)).slice(0, text === '' ? 99 : maxStatic),
  }))
  const groups = text === '' ? matching : [...matching, ...found.groups]
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isPending: text !== '' && (asked !== text || found.isPending),
    hasFailed: text !== '' && found.hasFailed,
  }
}

function useFixedItems(account: Account): PaletteGroup[] {
  const environment = useEnvironment()
  const slug = useSlug()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isOperator = account.role === 'operator'
  const go = (to: string) => () => void navigate(to)
  /** Opens a page, and the form of its button for a new record. */
  const add = (title: string, to: string): PaletteItem => ({
    id: `add ${to}`,
    title,
    icon: <PlusIcon />,
    run: () =>
      void Promise.resolve(navigate(to)).then(() => clickWhenShown('[data-shortcut="new"]')),
  })
  const other: EnvironmentName = environment === 'production' ? 'staging' : 'production'
  const store = `/store/${environment}`
  const pages = navigationOf(account, environment).flatMap(([group, items]) =>
    items.map(({ icon, title, to }) => ({ id: to, title, detail: group, icon, run: go(to) })),
  )
  const settings = settingsSections.map(({ id, title }) => ({
    id: `settings ${id}`,
    title,
    detail: `settings of ${slug}`,
    run: go(`/projects/${slug}/settings/${id}`),
  }))
  const dark = colorScheme === 'dark'
  return [
    ...(slug === '' ? [] : [{ title: 'Project settings', items: settings }]),
    { title: 'Pages', items: pages },
    {
      title: 'Actions',
      items: [
        add('New project', '/'),
        ...(slug === '' ? [] : [add('Create deploy token', `/projects/${slug}/settings/tokens`)]),
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
                run: go(
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
          run: () => setColorScheme(dark ? 'light' : 'dark'),
        },
        { id: 'sign out', title: 'Sign out', run: () => void signOut() },
      ],
    },
  ]
}

function useFoundRecords(account: Account, text: string) {
  const environment = useEnvironment()
  const navigate = useNavigate()
  const isOperator = account.role === 'operator'
  const go = (to: string) => () => void navigate(to)
  // The requests of an earlier text are aborted.
  const options = { enabled: text !== '', placeholderData: keepPreviousData, retry: false }
  const published = useQuery({
    ...options,
    queryKey: ['search', text],
    queryFn: ({ signal }) => call('GET /search', { query: { text }, signal }),
  })
  const stored = useQuery({
    ...options,
    enabled: options.enabled && isOperator,
    queryKey: ['store', environment, 'search', text],
    queryFn: ({ signal }) =>
      call('GET /store/{environment}/search', { params: { environment }, query: { text }, signal }),
  })
  const members = useQuery({
    ...options,
    enabled: options.enabled && isOperator,
    queryKey: ['accounts', 'search', text],
    queryFn: ({ signal }) => call('GET /accounts', { query: { text, limit: 5 }, signal }),
  })
  const { domains = [], projects = [] } = published.data ?? {}
  const { animals = [], categories = [], orders = [] } = stored.data ?? {}
  const store = `/store/${environment}`
  const all = [published, ...(isOperator ? [stored, members] : [])]
  const groups: PaletteGroup[] = [
    {
      title: 'Projects',
      items: projects.map(({ name, slug }) => ({
        id: `project ${slug}`,
        title: name,
        detail: slug,
        icon: <BookIcon />,
        run: go(`/projects/${slug}`),
      })),
    },
    {
      title: 'Domains',
      items: domains.map(({ host, project }) => ({
        id: `domain ${host} ${project.slug}`,
        title: host,
        detail: project.name,
        icon: <GlobeIcon />,
        run: go(`/projects/${project.slug}/settings/domains?domain=${encodeURIComponent(host)}`),
      })),
    },
    {
      title: `Animals in ${environment}`,
      items: animals.map(({ id, name, status }) => ({
        id: `animal ${id}`,
        title: name,
        detail: `${id}, ${status}`,
        icon: <PawIcon />,
        run: go(`${store}/animals?id=${id}`),
      })),
    },
    {
      title: `Orders in ${environment}`,
      items: orders.map(({ id, petId, status }) => ({
        id: `order ${id}`,
        title: `Order ${id}`,
        detail: `animal ${petId}, ${status}`,
        icon: <OrderIcon />,
        run: go(`${store}/orders?petId=${petId}`),
      })),
    },
    {
      title: `Categories in ${environment}`,
      items: categories.map(({ id, name }) => ({
        id: `category ${id}`,
        title: name,
        detail: String(id),
        icon: <TagIcon />,
        run: go(`${store}/animals?categoryId=${id}`),
      })),
    },
    {
      title: 'Members',
      items: (members.data?.items ?? []).map(({ email, id, name }) => ({
        id: `member ${id}`,
        title: name,
        detail: email,
        icon: <PeopleIcon />,
        run: go(`/members?text=${encodeURIComponent(email)}`),
      })),
    },
  ]
  return {
    groups: text === '' ? [] : groups,
    isPending: all.some(({ isFetching }) => isFetching),
    hasFailed: all.some(({ isError }) => isError),
  }
}

const maxWaitMs = 5000

/** Clicks an element as soon as the page shows it. */
function clickWhenShown(selector: string): void {
  const click = (): boolean => {
    const element = document.querySelector<HTMLElement>(selector)
    element?.click()
    return element !== null
  }
  if (click()) return
  const observer = new MutationObserver(() => {
    if (click()) observer.disconnect()
  })
  observer.observe(document.body, { childList: true, subtree: true })
  setTimeout(() => observer.disconnect(), maxWaitMs)
}
