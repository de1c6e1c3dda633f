// The queries about the program itself.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'

export type System = Answer<'GET /system'>
export type SystemHistory = Answer<'GET /system/history'>
export type Series = SystemHistory['series'][number]

export function useSystem() {
  return useQuery({
    queryKey: ['system', 'state'],
    queryFn: ({ signal }) => call('GET /system', { signal }),
    refetchInterval: 10_000,
  })
}

export function useSystemHistory(minutes: number) {
  return useQuery({
    queryKey: ['system', 'history', minutes],
    queryFn: ({ signal }) => call('GET /system/history', { query: { minutes }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}
