// The document of the management API is valid, complete and matches the program.
import { beforeAll, describe, expect, it } from 'vitest'
import { type ManagementErrorCode, managementErrorCodes } from '#kit/errors.ts'
import { isLong } from './cases.ts'
import { redoclyProblems, spectralOutput, spectralSuccess } from './linters.ts'
import { ask, startStore } from './running-store.ts'
import { shared } from './shared.ts'

interface Operation {
  operationId: string
  security: object[]
  parameters?: { name: string; schema: { type?: string; format?: string; maximum?: number } }[]
  /** References to shared responses. */
  responses: Record<string, { description?: string }>
}

const store = shared(() => startStore('sqlite'))
let text: string
let operations: (Operation & { method: string; path: string })[]

beforeAll(async () => {
  const { dashboardUrl, httpPort } = store.running.config
  const response = await ask(httpPort, dashboardUrl, '', 'api/openapi.json', { key: null })
  expect(response.status).toBe(200)
  text = response.text
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )
})

it('bounds every integer of a path or query: larger ones are no integers of the databases', () => {
  const unbounded = operations.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(({ schema: { format, maximum, type } }) => {
        return type === 'integer' && maximum === undefined && format !== 'int64'
      })
      .map(({ name }) => `${operationId}: ${name}`),
  )
  expect(unbounded).toEqual([])
})

it('names every code of the management API', () => {
  const codes = Object.keys(managementErrorCodes) as ManagementErrorCode[]
  const said = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ description = '' }) =>
      [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code),
    ),
  )
  expect(codes.filter((code) => !said.includes(code))).toEqual([])
})

it('has operations with unique names', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(20)
})

it('marks the same operations as public as the program does', async () => {
  const { dashboardUrl, httpPort } = store.running.config
  for (const { method, operationId, path, security } of operations) {
    const target = `api${path.replaceAll(/\{\w+\}/g, 'x')}`
    const { status } = await ask(httpPort, dashboardUrl, '', target, {
      method: method.toUpperCase(),
      key: null,
    })
    expect([operationId, status === 401], target).toEqual([
      operationId,
      // The public operation that returns the session also responds without one.
      security.length > 0 || operationId === 'getSession',
    ])
  }
})

describe('linters', () => {
  it('Redocly finds no problems', async () => {
    expect(await redoclyProblems(text)).toEqual([])
  })

  if (isLong)
    it('Spectral finds no problems', async () => {
      expect(await spectralOutput(text)).toBe(spectralSuccess)
    })
})
