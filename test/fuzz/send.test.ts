// The fuzzer's client repeats a request only where a second execution is excluded.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { FuzzRequest } from './request.ts'
import { createSender } from './send.ts'

const key = ['Idempotency-Key', 'k']
const cases: [string, number, string, string, string[], number][] = [
  ['a POST without a key', 503, 'unavailable', 'POST', [], 2],
  ['a POST without a key', 504, 'outcome_unknown', 'POST', [], 1],
  ['a DELETE without a key', 504, 'outcome_unknown', 'DELETE', [], 1],
  ['a POST with a key', 504, 'outcome_unknown', 'POST', key, 2],
  ['a POST with a key', 500, 'internal_error', 'POST', key, 1],
]
it.each(cases)('%s that is answered %i %s', async (_, status, code, method, headers, attempts) => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    const isFirst = asked === 1
    response.writeHead(
      isFirst ? status : 201,
      isFirst && status === 503 ? { 'Retry-After': '1' } : {},
    )
    response.end(isFirst ? JSON.stringify({ code, status }) : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const sender = createSender({ production: baseUrl, staging: baseUrl })
  onTestFinished(() => {
    sender.close()
    server.close()
  })
  const request: FuzzRequest = {
    ...{ environment: 'production', method, target: '/pets', headers, isChunked: false },
    expected: { operation: 'createPet', status: 201, codes: [] },
  }
  const response = await sender.send(request)
  expect(asked).toBe(attempts)
  expect(response.status).toBe(attempts === 2 ? 201 : status)
})
