import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { httpChallengePath as challengePath } from '#acme/resources/orders.ts'
import { type Listener, listen } from '#kit/http/listener/intake.ts'
import { createMetrics } from '#kit/metrics.ts'
import { answerChallenge, redirectToHttps } from './edge-handlers.ts'

const token = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA'
let listener: Listener
beforeAll(async () => {
  const challenge = answerChallenge(async (host, asked) => {
    if (host === 'broken.test') throw new Error('no database')
    return host === 'a.test' && asked === token ? `${token}.thumbprint` : undefined
  })
  const redirects = { 'a.test': redirectToHttps(443), 'b.test': redirectToHttps(8443) }
  listener = await listen(0, '127.0.0.1', createMetrics())
  listener.serve((host, path) => {
    if (path.startsWith(challengePath)) return challenge
    return redirects[host as keyof typeof redirects]
  })
})
afterAll(() => listener.stop())

function ask(host: string, path: string, method = 'GET') {
  return new Promise<{ status?: number; text: string; headers: Record<string, unknown> }>(
    (resolve) => {
      const to = { host: '127.0.0.1', port: listener.port, agent: false, headers: { host } }
      request({ ...to, path, method }, async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers })
      }).end()
    },
  )
}

it.each([
  ['a.test', 'GET', 301, 'https://a.test/x?y=1'],
  ['A.test.:8080', 'HEAD', 301, 'https://a.test/x?y=1'],
  ['b.test', 'POST', 308, 'https://b.test:8443/x?y=1'],
])('to HTTPS: %s %s', async (host, method, status, location) => {
  const answer = await ask(host, '/x?y=1', method)
  expect([answer.status, answer.headers.location]).toEqual([status, location])
})

it('serves a challenge only for its host and token', async () => {
  const answer = await ask('a.test', challengePath + token)
  expect([answer.status, answer.text]).toEqual([200, `${token}.thumbprint`])
  expect(answer.headers['content-type']).toBe('application/octet-stream')
  expect((await ask('a.test', challengePath + token, 'HEAD')).text).toBe('')
  expect((await ask('b.test', challengePath + token)).status).toBe(404)
  for (const other of ['', 'short', `${token}x`, `../${token}`, `${token}/`])
    expect((await ask('a.test', challengePath + other)).status).toBe(404)
  expect((await ask('a.test', challengePath + token, 'POST')).status).toBe(405)
  expect((await ask('broken.test', challengePath + token)).status).toBe(500)
})
