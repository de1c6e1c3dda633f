// Validates a host before issuance: its CAA records, and its challenge response, fetched from its first address.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import {
  type ChallengeType,
  dnsChallengeLabel,
  dnsChallengeValue,
  httpChallengePath,
  tlsChallengeProtocol,
} from '#acme/resources/orders.ts'
import { oids, readExtensions, readHosts } from '#acme/x509/extensions.ts'
import { octetString } from '#acme/x509/write-der.ts'
import { parentOf } from '#dns/messages/dns-name.ts'
import { recordsOfType } from '#dns/messages/exchange.ts'
import { sendRequest, urlOfAddress } from '#kit/network/http-client.ts'
import type { Resolver } from '../dns/resolver.ts'
import { caaAllows } from './evaluate-caa.ts'

export interface ValidationError {
  /** Without the prefix of ACME (RFC 8555, section 6.7). */
  type: 'caa' | 'dns' | 'connection' | 'unauthorized' | 'tls'
  detail: string
}

export interface ChallengeRequest {
  host: string
  method: ChallengeType
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
const maxRedirects = 10

/** Undefined when the host is valid. Never throws. */
export async function validateHost(
  context: ValidationContext,
  challenge: ChallengeRequest,
): Promise<ValidationError | undefined> {
  const caaError = await checkCaa(context, challenge)
  if (caaError) return caaError
  if (challenge.method === 'dns-01') return await validateDns(context.resolver, challenge)
  const address = await findAddress(context.resolver, challenge.host)
  if (typeof address === 'object') return address
  return challenge.method === 'http-01'
    ? await validateHttp(context, address, challenge)
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
    const records = recordsOfType(answers, 'CAA')
    if (records.length === 0) continue
    return caaAllows(records, { identity, accountUri, method })
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
    const [record] = recordsOfType(answers, type)
    if (record) return record.address
  }
  return { type: 'dns', detail: `no valid A or AAAA records found for ${host}` }
}

/** RFC 8555, section 8.3: redirects are followed, also to HTTPS with any certificate, on ports 80 and 443. */
async function validateHttp(
  { httpPort, httpsPort, resolver }: ValidationContext,
  first: string,
  { host, keyAuthorization, token }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  let url = new URL(httpChallengePath + token, `http://${host}`)
  let address = first
  try {
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const isSecure = url.protocol === 'https:'
      const [scheme, port] = isSecure
        ? (['https', httpsPort] as const)
        : (['http', httpPort] as const)
      const at = urlOfAddress(address, port, url.pathname + url.search, scheme)
      const { body, headers, status } = await sendRequest(at, {
        ...{ method: 'GET', headers: { host: url.hostname } },
        ...{ timeoutMs: withinMs, maxBytes, oversize: 'truncate' },
        ...(isSecure && { serverName: url.hostname }),
      })
      if (status === 200 && body.toString('latin1').trimEnd() === keyAuthorization) return undefined
      if (status === 200) return errorAt(address, 'unauthorized', 'wrong key authorization')
      const next = status >= 300 && status < 400 ? URL.parse(headers.location ?? '', url) : null
      if (!next) return errorAt(address, 'unauthorized', `HTTP ${status}`)
      if (!/^https?:$/.test(next.protocol) || next.port !== '')
        return errorAt(address, 'connection', `redirect to ${next.href}, only ports 80 and 443`)
      const found =
        next.hostname === url.hostname ? address : await findAddress(resolver, next.hostname)
      if (typeof found === 'object') return found
      ;[url, address] = [next, found]
    }
    return errorAt(address, 'connection', 'too many redirects')
  } catch (error) {
    return errorAt(address, 'connection', (error as Error).message)
  }
}

/** RFC 8555, section 8.4: any of the values, also at the target of a CNAME. */
async function validateDns(
  resolver: Resolver,
  { host, keyAuthorization }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  const name = `${dnsChallengeLabel}.${host}`
  const { answers, rcode } = await resolver.resolve(name, 'TXT')
  if (rcode === 'SERVFAIL') return { type: 'dns', detail: `SERVFAIL looking up TXT for ${name}` }
  const texts = recordsOfType(answers, 'TXT').map(({ strings }) => strings.join(''))
  if (texts.includes(dnsChallengeValue(keyAuthorization))) return undefined
  const [first] = texts
  if (first !== undefined)
    return { type: 'unauthorized', detail: `Incorrect TXT record "${first}" found at ${name}` }
  const type = rcode === 'NXDOMAIN' ? 'dns' : 'unauthorized'
  return { type, detail: `No TXT record found at ${name}` }
}

/** RFC 8737, section 3. */
async function validateTls(
  address: string,
  port: number,
  { host, keyAuthorization }: ChallengeRequest,
): Promise<ValidationError | undefined> {
  const socket = connect({
    host: address,
    port,
    servername: host,
    ALPNProtocols: [tlsChallengeProtocol],
    // Self-signed: the extension is the proof.
    rejectUnauthorized: false,
  })
  const signal = AbortSignal.timeout(withinMs)
  try {
    await once(socket, 'secureConnect', { signal })
    const raw = socket.getPeerX509Certificate()?.raw
    const extensions = raw && readExtensions(raw)
    const digest = createHash('sha256').update(keyAuthorization).digest()
    const isProof =
      socket.alpnProtocol === tlsChallengeProtocol &&
      extensions !== undefined &&
      readHosts(extensions).join() === host &&
      extensions.get(oids.acmeIdentifier)?.equals(octetString(digest))
    if (isProof) return undefined
    return errorAt(address, 'unauthorized', 'not the certificate of the challenge')
  } catch (error) {
    if (signal.aborted) return errorAt(address, 'connection', 'no answer in time')
    return errorAt(address, 'tls', (error as Error).message)
  } finally {
    socket.on('error', () => {}).destroy()
  }
}

function errorAt(address: string, type: ValidationError['type'], detail: string): ValidationError {
  return { type, detail: `${address}: ${detail}` }
}
