// The queries and changes of projects and their deploys.
import {
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Answer, Body } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import { useChange } from '../platform/use-change.ts'

export type Project = Answer<'GET /projects/{slug}'>
export type Deploy = Answer<'GET /projects/{slug}/deploys/{number}'>

const projectsKey = ['projects']
const listKey = ['projects', 'list']
export const projectKey = (slug: string) => ['projects', slug]

const pollMs = 15_000

export function useProjects() {
  return useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ pageParam: after }) => call('GET /projects', { query: { limit: 50, after } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // A new project is about to be published; the first one by the program itself.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.some(isNew) ? 2000 : pollMs),
  })
}

function isNew({ createdAt, liveDeploy }: Project): boolean {
  return liveDeploy === null && Date.now() - new Date(createdAt).getTime() < 5 * 60_000
}

export function useProject(slug: string) {
  return useQuery({
    queryKey: projectKey(slug),
    queryFn: () => call('GET /projects/{slug}', { params: { slug } }),
    refetchInterval: pollMs,
  })
}

export function useDeploys(slug: string) {
  const client = useQueryClient()
  return useInfiniteQuery({
    queryKey: ['projects', slug, 'deploys'],
    queryFn: async ({ pageParam: before }) => {
      const query = { limit: 20, before }
      const page = await call('GET /projects/{slug}/deploys', { params: { slug }, query })
      refetchOutdatedProject(client, slug, page.items)
      return page
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.some(isUnderWay) ? 1000 : pollMs),
  })
}

/** A deploy that has become live is shown with its project at once, not at the project's next poll. */
function refetchOutdatedProject(client: QueryClient, slug: string, deploys: Deploy[]): void {
  const live = deploys.find(({ state }) => state === 'live')
  const project = client.getQueryData<Project>(projectKey(slug))
  if (live && project && project.liveDeploy?.number !== live.number) {
    void client.invalidateQueries({ queryKey: projectKey(slug), exact: true })
  }
}

export const isUnderWay = ({ state }: Deploy): boolean =>
  state === 'uploaded' || state === 'building'

export const useCreateProject = () =>
  useChange((body: Body<'POST /projects'>) => call('POST /projects', { body }), projectsKey)

export const useChangeProject = (slug: string) =>
  useChange(
    (body: Body<'PATCH /projects/{slug}'>) =>
      call('PATCH /projects/{slug}', { params: { slug }, body }),
    projectsKey,
  )

/** Only the list is fetched again: the pages of the project are gone. */
export function useDeleteProject({ name, slug }: Project) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE /projects/{slug}', { params: { slug }, query: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: listKey }),
  })
}

export const useRestore = (slug: string) =>
  useChange(
    (number: number) =>
      call('POST /projects/{slug}/deploys/{number}/restore', {
        params: { slug, number: String(number) },
      }),
    projectKey(slug),
  )
