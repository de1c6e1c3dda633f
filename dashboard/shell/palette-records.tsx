// Records in the palette, by their names: those that the server finds, and projects and domains that pages have loaded.

import type { InfiniteData } from '@tanstack/react-query'
import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import {
  BookIcon,
  GlobeIcon,
  OrderIcon,
  PawIcon,
  PeopleIcon,
  TagIcon,
} from '../components/icons.tsx'
import { call } from '../platform/api.ts'
import { useEnvironment } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import type { RecentItem } from './recent-items.ts'

/** A record at its address. */
export interface RecordItem extends RecentItem {
  icon: ReactNode
}

interface RecordGroup {
  title: string
  items: RecordItem[]
}

/** By the first word of the ID. */
const icons: Record<string, ReactNode> = {
  project: <BookIcon />,
  domain: <GlobeIcon />,
  animal: <PawIcon />,
  order: <OrderIcon />,
  category: <TagIcon />,
  member: <PeopleIcon />,
}

export const withIcon = (item: RecentItem): RecordItem => ({
  ...item,
  icon: icons[item.id.split(' ', 1)[0] ?? ''],
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
