// The operations of an operator on the program itself, as the management API declares them.
import { operation } from '../management/operation.ts'
import { System, SystemHistory, SystemHistoryQuery } from './schema.ts'

const common = { tag: 'system', access: 'operator' } as const

export const getSystem = operation({
  ...common,
  route: 'GET /system',
  operationId: 'getSystem',
  summary: 'Say what the program is and how it fares',
  status: 200,
  answer: System,
  errors: [],
})

export const getSystemHistory = operation({
  ...common,
  route: 'GET /system/history',
  operationId: 'getSystemHistory',
  summary: 'Say how many requests there were, and how fast they were answered',
  description:
    'Of all processes, minute by minute over the last six hours. Requests are counted in the minute in which a process writes them down, which it does every half minute: those since then are lost if it dies. PostgreSQL empties the history when it has crashed.',
  query: SystemHistoryQuery,
  status: 200,
  answer: SystemHistory,
  errors: [],
})
