// The queries of projects and their deploys.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { keyOf, useGet, useList } from '../platform/requests.ts'

export type Project = Answer<'GET /projects/{slug}'>
/** Whether the account can deploy, and change domains and settings. */
export const isEditable = ({ role }: Project): boolean => role !== 'viewer'

/** Whether the account can change its members and delete it. */
export const isOwned = ({ role }: Project): boolean => role === 'owner' || role === 'operator'
export type Deploy = Answer<'GET /projects/{slug}/deploys/{number}'>

const list = { query: { limit: 50 } }

/** All queries of projects; only the list; one project with its deploys and domains. */
export const projectsQueries = { queryKey: ['projects'] }
export const projectListQuery = { queryKey: keyOf('GET /projects', list) }
export const projectQueries = (slug: string) => ({ queryKey: ['projects', slug] })

const pollMs = 15_000

export function useProjects() {
  // A new project will be published soon; the first one automatically.
  return useList('GET /projects', 'after', list, (first) =>
    first?.items.some(isNew) ? 2000 : pollMs,
  )
}

function isNew({ createdAt, liveDeploy }: Project): boolean {
  return liveDeploy === null && Date.now() - new Date(createdAt).getTime() < 5 * 60_000
}

export const useProject = () => useGet('GET /projects/{slug}', { refetchInterval: pollMs })

/** Fetches the project again when another deploy has become live. */
export function useDeploys({ liveDeploy, slug }: Project) {
  const client = useQueryClient()
  const deploys = useList(
    'GET /projects/{slug}/deploys',
    'before',
    { query: { limit: 20 } },
    (first) => (first?.items.some(isUnderWay) ? 1000 : pollMs),
  )
  const live = deploys.data?.pages[0]?.items.find(({ state }) => state === 'live')?.number
  useEffect(() => {
    if (live !== undefined && live !== liveDeploy?.number) {
      void client.invalidateQueries({ ...projectQueries(slug), exact: true })
    }
  }, [client, live, liveDeploy, slug])
  return deploys
}

/** Where visitors see the site: at the primary domain once it is served. */
export const addressOf = ({ address, domains }: Project): string =>
  domains.primary !== null && domains.isPrimaryServed ? `https://${domains.primary}/` : address

export const isUnderWay = ({ state }: Deploy): boolean =>
  state === 'uploaded' || state === 'building'

export const visibilityTitles: Record<Project['visibility'], string> = {
  public: 'Public',
  password: 'Password',
  members: 'Members only',
}

/** The message of its author; without one, what it is. */
export function titleOf({ createdVia, message, number }: Deploy): string {
  return message ?? (createdVia === 'program' ? 'Built-in documentation' : `Deploy ${number}`)
}
