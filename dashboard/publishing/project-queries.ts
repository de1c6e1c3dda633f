// What the pages ask about projects and their deploys, and what they let happen to them.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Deploy, Deploys } from '../../server/publishing/deploys/records/schema.ts'
import type { Project, Projects } from '../../server/publishing/projects/schema.ts'
import { ask, path } from '../platform/api.ts'

const projectsKey = ['projects']
export const projectKey = (slug: string) => ['projects', slug]
const deploysKey = (slug: string) => ['projects', slug, 'deploys']

const againMs = 15_000

export function useProjects() {
  return useInfiniteQuery({
    queryKey: [...projectsKey, 'list'],
    queryFn: ({ pageParam }) =>
      ask<Projects>(`GET /projects?limit=50${pageParam ? `&after=${pageParam}` : ''}`),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // A project that has just been made is about to be published: the first one by the program itself.
    refetchInterval: ({ state }) => (state.data?.pages[0]?.items.some(isFresh) ? 2000 : againMs),
  })
}

function isFresh({ createdAt, liveDeploy }: Project): boolean {
  return liveDeploy === null && Date.now() - new Date(createdAt).getTime() < 5 * 60_000
}

export function useProject(slug: string) {
  return useQuery({
    queryKey: projectKey(slug),
    queryFn: () => ask<Project>(path`GET /projects/${slug}`),
    refetchInterval: againMs,
  })
}

export function useDeploys(slug: string) {
  return useInfiniteQuery({
    queryKey: deploysKey(slug),
    queryFn: ({ pageParam }) =>
      ask<Deploys>(
        `${path`GET /projects/${slug}/deploys`}?limit=20${pageParam ? `&before=${pageParam}` : ''}`,
      ),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    // What is being built is looked at more often.
    refetchInterval: ({ state }) => {
      const isBuilding = state.data?.pages[0]?.items.some(isUnderWay)
      return isBuilding ? 1000 : againMs
    },
  })
}

export const isUnderWay = ({ state }: Deploy): boolean =>
  state === 'uploaded' || state === 'building'

export function useCreateProject() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; slug?: string }) => ask<Project>('POST /projects', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: projectsKey }),
  })
}

export function useChangeProject(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: { name?: string; slug?: string }) =>
      ask<Project>(path`PATCH /projects/${slug}`, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: projectsKey }),
  })
}

export function useDeleteProject({ name, slug }: Project) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask(`${path`DELETE /projects/${slug}`}?name=${encodeURIComponent(name)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: [...projectsKey, 'list'] }),
  })
}

export function useRestore(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (number: number) =>
      ask<Deploy>(path`POST /projects/${slug}/deploys/${String(number)}/restore`),
    onSuccess: () => client.invalidateQueries({ queryKey: projectKey(slug) }),
  })
}
