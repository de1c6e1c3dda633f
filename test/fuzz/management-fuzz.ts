// Sends random requests to the management API, half of them over HTTP/2: none may end in a 5xx, an answer that is not
// JSON where it says so, a closed connection or silence, and the program serves afterwards.
import { Agent } from 'node:http'
import type { People } from '../publishing/publishing-in-test.ts'
import { password } from '../publishing/publishing-in-test.ts'
import { createRandom } from '../random.ts'
import {
  type Known,
  type ManagementDocument,
  type ManagementRequest,
  managementRequests,
} from './management-requests.ts'
import { createHttp2Sender, type RawResponse, sendHttp1 } from './send-raw.ts'

export interface ManagementFuzzResult {
  requests: number
  statuses: Record<number, number>
  findings: string[]
}

const lanes = 8
const host = 'localhost'

export async function fuzzManagement(
  { anonymous, member, operator }: People,
  ports: { http: number; https: number },
  seed: number,
  requests: number,
): Promise<ManagementFuzzResult> {
  const document = (await anonymous('/openapi.json')).json as ManagementDocument
  const someone = await member('paid')
  const known: Known = { values: {}, credentials: [[]] }
  const people = [operator, someone].map((person) => ({ person, bearer: [''], session: [''] }))
  for (const [i, each] of people.entries()) {
    const { bearer, person, session } = each
    const slug = `docs-${i}`
    await person.create(slug)
    await signIn(each)
    known.credentials.push(bearer, bearer, bearer, bearer, session)
    for (const name of ['slug', 'project'])
      known.values[name] = [...(known.values[name] ?? []), slug]
    for (const name of ['accountId', 'id']) {
      known.values[name] = [...(known.values[name] ?? []), person.account.id]
    }
  }
  known.credentials.push(['authorization', 'Bearer as_pat_no'], ['cookie', 'session=no'])
  for (const [name, values] of Object.entries({
    environment: ['production', 'staging'],
    name: ['a.example', 'www.a.example', 'Docs'],
    number: ['1', '2'],
    plan: ['free', 'paid'],
    limit: ['1', '100'],
    hash: ['0'.repeat(64)],
    url: ['http://127.0.0.1:9/'],
  })) {
    known.values[name] = values
  }

  /** Replaces the credentials in place. */
  async function signIn({ bearer, person, session }: (typeof people)[number]): Promise<void> {
    const { email } = person.account
    const { headers } = await anonymous('/session', { body: { email, password } })
    const cookie = headers['set-cookie']?.split(';')[0] ?? ''
    session.splice(0, session.length, 'cookie', cookie, 'origin', `http://${host}:${ports.http}`)
    await person.signIn()
    bearer.splice(0, bearer.length, 'authorization', `Bearer ${await person.token()}`)
  }

  let signedIn: Promise<void> | undefined
  /** Random requests sign out, revoke tokens, change passwords and delete accounts. */
  async function signInAgain(headers: string[]): Promise<void> {
    const lost = people.find(({ bearer, session }) =>
      [bearer[1], session[1]].includes(headers[1] as string),
    )
    if (!lost) return
    signedIn ??= signIn(lost)
      .catch(() => {})
      .finally(() => {
        signedIn = undefined
      })
    await signedIn
  }

  const statuses: Record<number, number> = {}
  const findings: string[] = []
  let sent = 0

  async function runLane(number: number): Promise<void> {
    const next = managementRequests(document, known, createRandom(seed * 31 + number + 1))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const http2 = createHttp2Sender(ports.https)
    for (let i = 0; i < requests / lanes && findings.length === 0; i++) {
      const request = next()
      try {
        const overHttp2 = number % 2 === 1 && (await http2.send({ host, ...request }))
        const response =
          overHttp2 ||
          (await sendHttp1(agent, ports.http, { host: `${host}:${ports.http}`, ...request }))
        sent++
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
        const finding = judge(request, response)
        if (response.status === 401) await signInAgain(request.headers)
        if (finding) findings.push(`${finding}\n${format(request)}`)
      } catch (error) {
        // Node's client refuses a request that HTTP cannot express.
        const { code, message } = error as NodeJS.ErrnoException
        if (!code?.startsWith('ERR_INVALID_') && !code?.startsWith('ERR_UNESCAPED_')) {
          findings.push(`${code ?? ''} ${message}\n${format(request)}`)
        }
      }
    }
    agent.destroy()
    http2.close()
  }

  await Promise.all(Array.from({ length: lanes }, (_, number) => runLane(number)))
  const { status } = await anonymous('/openapi.json')
  if (status !== 200) findings.push(`afterwards, the program answers ${status}`)
  return { requests: sent, statuses, findings }
}

function judge({ method }: ManagementRequest, response: RawResponse): string | undefined {
  const { body, rawHeaders, status } = response
  if (status >= 500) return `a ${status}: ${body}`
  const type = rawHeaders[rawHeaders.findIndex((name) => /^content-type$/i.test(name)) + 1] ?? ''
  const isCoded = rawHeaders.some((name, i) => i % 2 === 0 && /^content-encoding$/i.test(name))
  if (isCoded) return undefined
  const isJson = type.startsWith('application/json') && method !== 'HEAD' && body.length > 0
  if (!isJson) return undefined
  try {
    const value = JSON.parse(body.toString())
    return status < 400 || typeof value.code === 'string' ? undefined : `no code in a ${status}`
  } catch {
    return `a ${status} that is not JSON: ${body.toString('latin1').slice(0, 300)} ${rawHeaders}`
  }
}

function format({ body, headers, method, path }: ManagementRequest): string {
  return `    ${method} ${path}\n    ${JSON.stringify(headers)}\n    ${body?.toString('latin1') ?? ''}`
}
