// What the pages ask about the program itself.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { System, SystemHistory } from '../../server/platform/system/schema.ts'
import { ask } from '../platform/api.ts'

export type { System, SystemHistory }
export type Series = SystemHistory['series'][number]

export function useSystem() {
  return useQuery({
    queryKey: ['system', 'state'],
    queryFn: ({ signal }) => ask<System>('GET /system', { signal }),
    refetchInterval: 10_000,
  })
}

export function useSystemHistory(minutes: number) {
  return useQuery({
    queryKey: ['system', 'history', minutes],
    queryFn: ({ signal }) =>
      ask<SystemHistory>(`GET /system/history?minutes=${minutes}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}
