// Validates a host before issuance: its CAA records, and its challenge response, fetched from its first address.
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:tls'
import {
  httpChallengePath,
  tlsChallengeProtocol,
} from '../../server/publishing/acme/resources/challenges.ts'
import { oids, readExtensions, readHosts } from '../../server/publishing/acme/x509/extensions.ts'
import { octetString } from '../../server/publishing/acme/x509/write-der.ts'
import { evaluateCaa } from '../../server/publishing/dns/caa/judge-caa.ts'
import { parentOf } from '../../server/publishing/dns/messages/dns-name.ts'
import type { Resolver } from '../dns/resolver.ts'

export interface ValidationError {
  /** Without the prefix of ACME (RFC 8555, section 6.7). */
  type: 'caa' | 'dns' | 'connection' | 'unauthorized' | 'tls'
  detail: string
}

export interface ChallengeRequest {
  host: string
  method: 'http-01' | 'tls-alpn-01'
  token: string
  keyAuthorization: string
  /** The account, as CAA may name it (RFC 8657). */
  accountUri: string
}

interface ValidationContext {
  resolver: Resolver
  /** The name of the authority in CAA records. */
  identity: string
  httpPort: number
  httpsPort: number
}

const withinMs = 5000
const maxBytes = 4096

/** Undefined when the host is valid. Never throws. */
export async function validateHost(
  context: ValidationContext,
  challenge: ChallengeRequest,
): Promise<ValidationError | undefined> {
  const caaError = await checkCaa(context, challenge)
  if (caaError) return caaError
  const address = await findAddress(context.resolver, challenge.host)
  if (typeof address === 'object') return address
  return challenge.method === 'http-01'
    ? await validateHttp(address, context.httpPort, challenge)
    : await validateTls(address, context.httpsPort, challenge)
}

/** The first set of CAA records found from the host upwards applies (RFC 8659, section 3). */
async function checkCaa(
  { identity, resolver }: ValidationContext,
  { accountUri, host, method }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  for (let name = host; name !== ''; name = parentOf(name) ?? '') {
    const { answers, rcode } = await resolver.resolve(name, 'CAA')
    if (rcode === 'SERVFAIL') return { type: 'dns', detail: `SERVFAIL looking up CAA for ${name}` }
    const records = answers
      .filter((answer) => answer.type === 'CAA')
      .map(({ data: { flags = 0, tag, value }, ttl = 0, type }) => {
        return { name, ttlSeconds: ttl, type, flags, tag, value }
      })
    if (records.length === 0) continue
    const judged = evaluateCaa(records, { issuers: [identity], accountUri, method })
    return judged.isAllowed
      ? undefined
      : { type: 'caa', detail: `CAA record for ${name} prevents issuance` }
  }
  return undefined
}

async function findAddress(resolver: Resolver, host: string): Promise<string | ValidationError> {
  for (const type of ['AAAA', 'A'] as const) {
    const { answers, rcode } = await resolver.resolve(host, type)
    if (rcode === 'SERVFAIL')
      return { type: 'dns', detail: `SERVFAIL looking up ${type} for ${host}` }
    for (const answer of answers) if (answer.type === type) return answer.data as string
  }
  return { type: 'dns', detail: `no valid A or AAAA records found for ${host}` }
}

function validateHttp(
  address: string,
  port: number,
  { host, keyAuthorization, token }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  return new Promise((resolve) => {
    const say = (type: ValidationError['type'], detail: string): void => {
      resolve({ type, detail: `${address}: ${detail}` })
      asking.destroy()
    }
    const asking = request({
      host: address,
      port,
      path: httpChallengePath + token,
      headers: { host },
      agent: false,
      signal: AbortSignal.timeout(withinMs),
    })
    asking.on('error', (error) => say('connection', error.message))
    asking.on('response', async (response) => {
      let text = ''
      try {
        for await (const chunk of response.setEncoding('latin1')) {
          text += chunk
          if (text.length > maxBytes) break
        }
      } catch (error) {
        return say('connection', (error as Error).message)
      }
      if (response.statusCode !== 200) return say('unauthorized', `HTTP ${response.statusCode}`)
      if (text.trimEnd() !== keyAuthorization) return say('unauthorized', 'wrong key authorization')
      resolve(undefined)
    })
    asking.end()
  })
}

/** RFC 8737, section 3. */
function validateTls(
  address: string,
  port: number,
  { host, keyAuthorization }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  return new Promise((resolve) => {
    const say = (type: ValidationError['type'], detail: string): void => {
      resolve({ type, detail: `${address}: ${detail}` })
      socket.destroy()
    }
    const socket = connect({
      host: address,
      port,
      servername: host,
      ALPNProtocols: [tlsChallengeProtocol],
      // Self-signed: the extension is the proof.
      rejectUnauthorized: false,
      timeout: withinMs,
    })
    socket.on('timeout', () => say('connection', 'no answer in time'))
    socket.on('error', (error) => say('tls', error.message))
    socket.on('secureConnect', () => {
      const raw = socket.getPeerX509Certificate()?.raw
      const extensions = raw && readExtensions(raw)
      const digest = createHash('sha256').update(keyAuthorization).digest()
      const isProof =
        socket.alpnProtocol === tlsChallengeProtocol &&
        extensions !== undefined &&
        readHosts(extensions).join() === host &&
        extensions.get(oids.acmeIdentifier)?.equals(octetString(digest))
      if (!isProof) return say('unauthorized', 'not the certificate of the challenge')
      resolve(undefined)
      socket.destroy()
    })
  })
}
