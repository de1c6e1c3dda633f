// Sends random requests to the management API, half of them over HTTP/2: none may end in a 5xx, an answer that is not
// JSON where it says so, a closed connection or silence, and the program serves afterwards.
import { type People, password } from '../publishing/publishing-in-test.ts'
import { createRandom } from '../random.ts'
import { readApiDocument } from './api-document.ts'
import { parseExact } from './exact-json.ts'
import { type Known, managementRequests } from './management-requests.ts'
import { type FuzzRequest, formatRequest } from './request.ts'
import { createSender, type FuzzResponse } from './send.ts'

export interface ManagementFuzzResult {
  requests: number
  statuses: Record<number, number>
  findings: string[]
}

const lanes = 8

export async function fuzzManagement(
  { anonymous, member, operator }: People,
  ports: { http: number; https: number },
  seed: number,
  requests: number,
): Promise<ManagementFuzzResult> {
  const origin = `http://localhost:${ports.http}`
  const baseUrl = `${origin}/api`
  const document = readApiDocument((await anonymous('/openapi.json')).json as object)
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
    session.splice(0, session.length, 'cookie', cookie, 'origin', origin)
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
    const sender = createSender(
      { production: baseUrl, staging: baseUrl },
      number % 2 === 1 ? ports.https : undefined,
    )
    for (let i = 0; i < requests / lanes && findings.length === 0; i++) {
      const request = next()
      try {
        const response = await sender.send(request)
        sent++
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
        const finding = judge(request, response)
        if (response.status === 401) await signInAgain(request.headers)
        if (finding) findings.push(`${finding}\n${formatRequest(request)}`)
      } catch (error) {
        // Node's client refuses a request that HTTP cannot express.
        const { code, message } = error as NodeJS.ErrnoException
        if (!code?.startsWith('ERR_INVALID_') && !code?.startsWith('ERR_UNESCAPED_')) {
          findings.push(`${code ?? ''} ${message}\n${formatRequest(request)}`)
        }
      }
    }
    sender.close()
  }

  await Promise.all(Array.from({ length: lanes }, (_, number) => runLane(number)))
  const { status } = await anonymous('/openapi.json')
  if (status !== 200) findings.push(`afterwards, the program answers ${status}`)
  return { requests: sent, statuses, findings }
}

function judge({ method }: FuzzRequest, response: FuzzResponse): string | undefined {
  const { headers, status, text } = response
  if (status >= 500) return `a ${status}: ${text}`
  const isJson = headers.get('content-type')?.[0]?.startsWith('application/json')
  if (!isJson || method === 'HEAD' || text === '') return undefined
  const value = parseExact(text) as { code?: unknown } | null | undefined
  if (value === undefined) return `a ${status} that is not JSON: ${text.slice(0, 300)}`
  return status < 400 || typeof value?.code === 'string' ? undefined : `no code in a ${status}`
}
