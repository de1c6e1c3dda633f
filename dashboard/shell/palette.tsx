// The palette, opened by Ctrl-K: a text finds pages, actions and records; the arrow keys choose one, Enter opens it. The focus
// stays in the field (ARIA's combobox with a list box). Pages, settings, actions, and the projects and domains that pages have
// loaded, match here; records are found by the server, and only those that the account can see. What arrives later is added
// below what is shown, and what matches by its letters alone comes last. What was opened last is kept in the browser.
import {
  Box,
  Center,
  Group,
  Kbd,
  Loader,
  Modal,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type InfiniteData, keepPreviousData, useQueryClient } from '@tanstack/react-query'
import {
  Fragment,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import {
  AppearanceIcon,
  PlusIcon,
  RefreshIcon,
  SearchIcon,
  SignOutIcon,
} from '../components/icons.tsx'
import { counted } from '../platform/formats.ts'
import { projectTabs, settingsSections } from '../platform/project-tabs.ts'
import {
  type EnvironmentName,
  keyOf,
  useEnvironment,
  useGet,
  useSlug,
} from '../platform/requests.ts'
import { type Account, recentItemsKey as key, signOut, tryStorage } from '../platform/session.ts'
import { type Mark, matchText, ranks } from './match-text.ts'
import { iconOf, navigationOf } from './navigation.tsx'
import classes from './palette.module.css'

const itemsOfPage = 8

export function Palette({ account, close }: { account: Account; close: () => void }) {
  const [typed, setTyped] = useState('')
  /** Its ID: it stays selected when results arrive before it. */
  const [selected, setSelected] = useState<string>()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const isByKey = useRef(false)
  /** Since something was typed. */
  const pointed = useRef<PaletteItem>(undefined)
  useEffect(() => field.current?.focus(), [])
  const { groups, hasFailed, isPending, open } = usePaletteGroups(account, typed)
  const items = groups.flatMap(([, items]) => items)
  const active = items.find((item) => item.id === selected) ?? items[0]
  const activeId = active?.id
  const idOf = (item: PaletteItem): string => `${id}-${encodeURIComponent(item.id)}`

  useEffect(() => {
    setSelected(activeId)
    // Nothing moves below the pointer.
    if (activeId === undefined || !isByKey.current) return
    const option = list.current?.querySelector('[aria-selected="true"]')
    // With the title of its group.
    const isFirst = option?.previousElementSibling?.getAttribute('role') !== 'option'
    const shown = isFirst ? option?.parentElement?.firstElementChild : undefined
    shown?.scrollIntoView({ block: 'nearest' })
    option?.scrollIntoView({ block: 'nearest' })
  }, [activeId])

  function run(item: PaletteItem): void {
    close()
    open(item)
  }

  function press(event: KeyboardEvent): void {
    const index = items.findIndex((item) => item.id === activeId)
    const last = items.length - 1
    const to = {
      ArrowDown: index === last ? 0 : index + 1,
      ArrowUp: index === 0 ? last : index - 1,
      PageDown: Math.min(last, index + itemsOfPage),
      PageUp: Math.max(0, index - itemsOfPage),
    }[event.key]
    if (to !== undefined && last >= 0) {
      event.preventDefault()
      isByKey.current = true
      setSelected(items[to]?.id)
    }
    if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(active)
    }
  }

  /** Results may have moved below a pointer that rests: what it was on is opened. */
  function click(event: MouseEvent, item: PaletteItem): void {
    const { nativeEvent } = event
    const isMouse = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'mouse'
    run((isMouse && pointed.current) || item)
  }

  return (
    <Modal.Root opened onClose={close} size={620} yOffset="12vh" padding={0}>
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Group
          gap="0.7rem"
          wrap="nowrap"
          px="1rem"
          c="dimmed"
          style={{ borderBottom: '1px solid var(--line)' }}
        >
          <SearchIcon />
          <input
            ref={field}
            className={classes.input}
            role="combobox"
            aria-label="Search projects, records, settings and actions"
            aria-expanded={items.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={active && idOf(active)}
            aria-autocomplete="list"
            autoComplete="off"
            spellCheck={false}
            placeholder="Search or jump to…"
            maxLength={200}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setSelected(undefined)
              pointed.current = undefined
              list.current?.scrollTo(0, 0)
            }}
            onKeyDown={press}
            data-autofocus
          />
          {isPending && <Loader size={16} aria-hidden />}
          <UnstyledButton onClick={close}>
            <VisuallyHidden>Close</VisuallyHidden>
            <Kbd size="xs" aria-hidden>
              Esc
            </Kbd>
          </UnstyledButton>
        </Group>
        <Box
          mah="min(26rem, 60vh)"
          p={items.length === 0 ? 0 : '0.4rem'}
          style={{ overflowY: 'auto' }}
          role="listbox"
          id={`${id}-list`}
          aria-label="Results"
          ref={list}
        >
          {groups.map(([title, items]) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options
            <div key={title} role="group" aria-label={title}>
              <Text p="0.6rem 0.6rem 0.25rem" c="dimmed" fz="0.78rem" fw={600} aria-hidden>
                {title}
              </Text>
              {items.map((item) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
                <div
                  key={item.id}
                  id={idOf(item)}
                  role="option"
                  aria-selected={item.id === activeId}
                  className={classes.option}
                  onPointerMove={() => {
                    isByKey.current = false
                    pointed.current = item
                    setSelected(item.id)
                  }}
                  onClick={(event) => click(event, item)}
                >
                  <Center inline w={18} c="var(--beside)">
                    {item.icon}
                  </Center>
                  <Text span inherit truncate>
                    <Marked {...item} />
                  </Text>
                  <Text span truncate ml="auto" maw="50%" fz="0.85rem" c="var(--beside)">
                    {item.detail}
                  </Text>
                </div>
              ))}
            </div>
          ))}
        </Box>
        {items.length === 0 && !isPending && (
          <Text p="1.5rem 1rem" ta="center" c="dimmed">
            {hasFailed
              ? 'The search is not available right now.'
              : `Nothing matches “${typed.trim()}”.`}
          </Text>
        )}
        <Group
          justify="space-between"
          wrap="nowrap"
          mih="2.25rem"
          p="0.3rem 1rem"
          c="dimmed"
          fz="0.8rem"
          style={{ borderTop: '1px solid var(--line)' }}
        >
          <span role="status">{isPending ? '' : textOf(items.length, hasFailed)}</span>
          <Group gap="0.9rem" wrap="nowrap" className={classes.keys ?? ''} aria-hidden>
            <span>
              <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> Select
            </span>
            <span>
              <Kbd size="xs">↵</Kbd> Open
            </span>
            <span>
              <Kbd size="xs">Esc</Kbd> Close
            </span>
          </Group>
        </Group>
      </Modal.Content>
    </Modal.Root>
  )
}

function textOf(results: number, hasFailed: boolean): string {
  const count = counted(results, 'result')
  return hasFailed && results > 0 ? `${count}; records could not be searched` : count
}

/** The title, with what was typed marked. */
function Marked({ marks = [], title }: PaletteItem) {
  const ends = marks.map(([, end]) => end)
  return (
    <>
      {marks.map(([start, end], i) => (
        <Fragment key={start}>
          {title.slice(ends[i - 1] ?? 0, start)}
          <mark className={classes.mark}>{title.slice(start, end)}</mark>
        </Fragment>
      ))}
      {title.slice(ends.at(-1) ?? 0)}
    </>
  )
}

interface PaletteItem {
  id: string
  title: string
  /** Beside the title: where it is, or what its ID is. */
  detail: string
  icon: ReactNode
  /** Of the title, for what was typed. */
  marks?: readonly Mark[]
  /** Of a page or a record: its address in the dashboard. */
  to?: string
  /** Of an action. */
  run?: () => void | Promise<void>
}

/** Items with their title. */
type Items = [title: string, items: PaletteItem[]]

const debounceMs = 150
const maxOfGroup = 8

/** The groups for a typed text, whether some of them are still being fetched, and the function that opens an item. */
function usePaletteGroups(account: Account, typed: string) {
  const text = typed.trim()
  const [asked] = useDebouncedValue(text, debounceMs)
  const navigate = useNavigate()
  const records = useFoundRecords(account, asked)
  const known = useKnownRecords()
  const fixed = useFixedItems(account)
  const [recent] = useState(() => readRecentItems(account.id))
  const isPending = text !== '' && (asked !== text || records.isPending)

  function groupsOf(): Items[] {
    if (text === '') return [['Recent', recent], ...fixed]
    const local = [...fixed, ...known].map(
      ([title, items]) => [title, rankItems(text, items)] as const,
    )
    const close = local
      .map(([title, items]) => [title, items.filter(({ rank }) => rank < ranks.letters)] as const)
      .sort(([, [a]], [, [b]]) => (a?.rank ?? 99) - (b?.rank ?? 99))
    // Those for an earlier text are shown meanwhile if they match this one.
    const added = new Map(
      records.groups.map(([title, items]) => [
        title,
        items.flatMap((item) => {
          const match = matchText(text, item.title, item.detail)
          return match || !isPending ? { ...item, marks: match?.marks ?? [] } : []
        }),
      ]),
    )
    const groups = new Map<string, PaletteItem[]>(added)
    for (const [title] of close) groups.delete(title)
    const listed: Items[] = [
      ...close.map(([title, items]): Items => {
        const all = [...items.slice(0, maxOfGroup), ...(added.get(title) ?? [])]
        // Each at its first place.
        return [title, [...new Map(all.map((item) => [item.id, item])).values()]]
      }),
      ...groups,
    ]
    // Last, so they wait until all others are there.
    if (isPending) return listed
    const ids = new Set(listed.flatMap(([, items]) => items.map(({ id }) => id)))
    const similar = local
      .flatMap(([, items]) => items.filter(({ id, rank }) => rank >= ranks.letters && !ids.has(id)))
      .sort((a, b) => a.rank - b.rank)
    return [...listed, ['Similar', similar.slice(0, maxOfGroup)]]
  }

  return {
    groups: groupsOf().filter(([, items]) => items.length > 0),
    isPending,
    hasFailed: text !== '' && records.hasFailed,
    open(item: PaletteItem): void {
      if (item.to === undefined) return void item.run?.()
      noteRecentItem(account.id, item)
      void navigate(item.to)
    },
  }
}

const rankItems = (text: string, items: PaletteItem[]) =>
  items
    .flatMap((item) => {
      const match = matchText(text, item.title, item.detail)
      return match ? { ...item, ...match } : []
    })
    .sort((a, b) => a.rank - b.rank)

/** A page or a record. */
const itemAt = (to: string, title: string, detail: string, id = to) =>
  ({ id, title, detail, icon: iconOf(to), to }) satisfies PaletteItem

function useFixedItems(account: Account): Items[] {
  const environment = useEnvironment()
  const slug = useSlug()
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  /** Opens a page, and the form of its button for a new record. */
  const add = (title: string, to: string): PaletteItem => ({
    id: `add ${to}`,
    title,
    detail: '',
    icon: <PlusIcon />,
    async run() {
      // The page before may be shown for a while yet, and may have such a button, too.
      const old = pathname === to ? null : document.querySelector(newButton)
      await navigate(to)
      clickWhenShown(newButton, old)
    },
  })
  const other: EnvironmentName = environment === 'production' ? 'staging' : 'production'
  const store = `/store/${environment}`
  const project = `/projects/${slug}`
  const tabs = projectTabs
    .filter(({ path }) => !path.startsWith('/settings'))
    .map(({ path, title }) => itemAt(project + path, title, slug))
  const settings = settingsSections.map(({ id, title }) =>
    itemAt(`${project}/settings/${id}`, title, `settings of ${slug}`),
  )
  const pages = navigationOf(account, environment).flatMap(([group, items]) =>
    items.map(({ title, to }) => itemAt(to, title, group)),
  )
  const ofOperator: PaletteItem[] = [
    add('Add animal', `${store}/animals`),
    add('Place order', `${store}/orders`),
    add('Create API key', `${store}/keys`),
    add('Invite member', '/members'),
    {
      id: 'environment',
      title: `Switch to ${other}`,
      detail: 'store',
      icon: <RefreshIcon />,
      run: () =>
        void navigate(
          pathname.startsWith('/store/')
            ? pathname.replace(/^\/store\/\w+/, `/store/${other}`)
            : `/store/${other}/animals`,
        ),
    },
  ]
  const dark = colorScheme === 'dark'
  return [
    ['This project', slug === '' ? [] : [...tabs, ...settings]],
    ['Pages', pages],
    [
      'Actions',
      [
        add('New project', '/'),
        ...(slug === '' ? [] : [add('Create deploy token', `${project}/settings/tokens`)]),
        ...(account.role === 'operator' ? ofOperator : []),
        add('Create access token', '/account'),
        {
          id: 'appearance',
          title: dark ? 'Light appearance' : 'Dark appearance',
          detail: '',
          icon: <AppearanceIcon />,
          run: () => setColorScheme(dark ? 'light' : 'dark'),
        },
        { id: 'sign out', title: 'Sign out', detail: '', icon: <SignOutIcon />, run: signOut },
      ],
    ],
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

const projectItem = (slug: string, name: string) => itemAt(`/projects/${slug}`, name, slug)

const domainItem = (host: string, slug: string, detail: string) =>
  itemAt(`/projects/${slug}/settings/domains?domain=${encodeURIComponent(host)}`, host, detail)

/** What the server finds for a text, in its order. */
function useFoundRecords(account: Account, text: string) {
  const environment = useEnvironment()
  const isOperator = account.role === 'operator'
  // The requests of an earlier text are aborted.
  const options = { enabled: text !== '', placeholderData: keepPreviousData, retry: false }
  const ofOperator = { ...options, enabled: options.enabled && isOperator }
  const published = useGet('GET /search', { query: { text }, ...options })
  const stored = useGet('GET /store/{environment}/search', { query: { text }, ...ofOperator })
  const members = useGet('GET /accounts', { query: { text, limit: 5 }, ...ofOperator })
  const { domains = [], projects = [] } = published.data ?? {}
  const { animals = [], categories = [], orders = [] } = stored.data ?? {}
  const store = `/store/${environment}`
  const all = [published, ...(isOperator ? [stored, members] : [])]
  const groups: Items[] = [
    ['Projects', projects.map(({ name, slug }) => projectItem(slug, name))],
    ['Domains', domains.map(({ host, project }) => domainItem(host, project.slug, project.name))],
    [
      `Animals in ${environment}`,
      animals.map(({ id, name, status }) =>
        itemAt(`${store}/animals?id=${id}`, name, `${id}, ${status}`),
      ),
    ],
    [
      `Orders in ${environment}`,
      orders.map(({ id, petId, status }) => {
        const to = `${store}/orders?petId=${petId}`
        return itemAt(to, `Order ${id}`, `animal ${petId}, ${status}`, `${to} ${id}`)
      }),
    ],
    [
      `Categories in ${environment}`,
      categories.map(({ id, name }) =>
        itemAt(`${store}/animals?categoryId=${id}`, name, String(id)),
      ),
    ],
    [
      'Members',
      (members.data?.items ?? []).map(({ email, name }) =>
        itemAt(`/members?text=${encodeURIComponent(email)}`, name, email),
      ),
    ],
  ]
  const isPending = all.some(({ isFetching }) => isFetching)
  return { groups, isPending, hasFailed: all.some(({ isError }) => isError) }
}

/** Projects and domains of the pages that were opened. */
function useKnownRecords(): Items[] {
  const client = useQueryClient()
  /** The lists by their parameters, or the projects by their slugs. */
  const read = <Data,>(isList: boolean): Data[] =>
    client
      .getQueriesData<Data>({
        queryKey: ['projects'],
        predicate: ({ queryKey: [, second, ...rest] }) =>
          rest.length === 0 && String(second).includes('=') === isList,
      })
      .flatMap(([, data]) => data ?? [])
  const lists = read<InfiniteData<Answer<'GET /projects'>>>(true)
  const projects = [
    ...read<Answer<'GET /projects/{slug}'>>(false),
    ...lists.flatMap(({ pages }) => pages.flatMap(({ items }) => items)),
  ]
  const names = [...new Map(projects.map(({ name, slug }) => [slug, name]))]
  const domainsOf = (slug: string) => {
    const key = keyOf('GET /projects/{slug}/domains', { params: { slug } })
    return client.getQueryData<Answer<'GET /projects/{slug}/domains'>>(key)?.items ?? []
  }
  const domains = names.flatMap(([slug, name]) =>
    domainsOf(slug).map(({ host }) => domainItem(host, slug, name)),
  )
  return [
    ['Projects', names.map(([slug, name]) => projectItem(slug, name))],
    ['Domains', domains],
  ]
}

const maxItems = 5

/** What was opened from the palette, the newest first. Kept in the browser, for one account, until it signs out. */
function readRecentItems(account: string): PaletteItem[] {
  const text = tryStorage((storage) => storage.getItem(key)) ?? ''
  try {
    const stored = JSON.parse(text) as { account: unknown; items: unknown[] }
    return stored.account === account ? stored.items.flatMap(readItem).slice(0, maxItems) : []
  } catch {
    // Of another form.
    return []
  }
}

function noteRecentItem(account: string, { detail, title, to }: PaletteItem): void {
  const others = readRecentItems(account).filter((each) => each.id !== `recent ${title} ${to}`)
  const items = [{ title, detail, to }, ...others].slice(0, maxItems)
  const stored = items.map(({ detail, title, to }) => ({ title, detail, to }))
  tryStorage((storage) => storage.setItem(key, JSON.stringify({ account, items: stored })))
}

function readItem(stored: unknown): PaletteItem[] {
  const { detail, title, to } = Object(stored) as Record<string, unknown>
  if (typeof title !== 'string' || typeof detail !== 'string' || typeof to !== 'string') return []
  // No other site.
  return /^\/(?!\/)/.test(to) ? [itemAt(to, title, detail, `recent ${title} ${to}`)] : []
}
