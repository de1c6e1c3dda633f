// The operations on the system status in the management API, for operators.
import { operation } from '../management/operation.ts'
import { System, SystemHistory, SystemHistoryQuery } from './schema.ts'

const common = { tag: 'system', access: 'operator' } as const

export const getSystem = operation({
  ...common,
  route: 'GET /system',
  operationId: 'getSystem',
  summary: 'Get system status',
  status: 200,
  answer: System,
  errors: [],
})

export const getSystemHistory = operation({
  ...common,
  route: 'GET /system/history',
  operationId: 'getSystemHistory',
  summary: 'Get request counts and latencies',
  description:
    'Per minute for the last six hours, summed over all processes. Each process saves its counts every 30 seconds; requests are counted in the minute of the save. If a process crashes, its unsaved counts are lost. If PostgreSQL crashes, the whole history is lost.',
  query: SystemHistoryQuery,
  status: 200,
  answer: SystemHistory,
  errors: [],
})
