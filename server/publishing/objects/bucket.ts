// A bucket of an object storage with an S3 interface: path-style requests with AWS Signature Version 4, sent by the one
// outgoing HTTP client. Objects are never overwritten, except for the one that names the bucket's owner: each has a name of
// its own.
import { hash } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { ObjectStorageSettings } from '#kit/config/config.ts'
import { counter, type Metrics } from '#kit/metrics.ts'
import {
  type HttpResponse,
  RequestError,
  type RequestOptions,
  sendRequest,
} from '#kit/network/http-client.ts'

/**
 * `unavailable`: the bucket did not respond as expected, which says nothing about the object. `missing`: there is no such
 * object. `damaged`: it has other bytes.
 */
type BucketProblem = 'unavailable' | 'missing' | 'damaged'

/** The message has neither keys nor signatures. */
export class BucketError extends Error {
  override readonly name = 'BucketError'
  readonly problem: BucketProblem

  constructor(problem: BucketProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

export type Bucket = ReturnType<typeof openBucket>

type Method = Extract<RequestOptions['method'], 'GET' | 'PUT' | 'DELETE'>

interface BucketOptions extends Omit<ObjectStorageSettings, 'move' | 'takeOver'> {
  /** Called for each request. */
  count?: (operation: Lowercase<Method>, result: 'ok' | 'failed') => void
}

interface BucketRequest {
  method: Method
  key: string
  range?: string
  body?: Uint8Array
  /** The maximum length of the response. */
  maxBytes?: number
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

/** Of one process. Requests beyond it wait, within their time-out. */
const maxConnections = 16
const timeoutMs = 10_000
const uploadTimeoutMs = 120_000
/** Of a response that is an error. */
const maxErrorBytes = 64 * 1024
const retryAfterMs = 200

/** Sends no request before the first operation. All of them throw BucketError, and nothing else. */
export function openBucket(options: BucketOptions) {
  const { accessKey, count, region, secretKey, url } = options
  const agentOptions = { keepAlive: true, maxSockets: maxConnections }
  const agent =
    url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const signingKeys = new Map<string, ArrayBuffer>()

  async function send(request: BucketRequest): Promise<HttpResponse> {
    const { body, key, method, range, signal } = request
    // Signed with the time of the machine, which servers compare with theirs.
    const signed = await new AwsV4Signer({
      method,
      url: `${url.href}/${key}`,
      headers: { 'x-amz-content-sha256': hash('sha256', body ?? '') },
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region,
      cache: signingKeys,
    }).sign()
    return await sendRequest(signed.url, {
      method,
      headers: { ...Object.fromEntries(signed.headers), ...(range && { range }) },
      body,
      timeoutMs: request.timeoutMs ?? timeoutMs,
      maxBytes: Math.max(request.maxBytes ?? 0, maxErrorBytes),
      oversize: 'fail',
      agent,
      signal,
    })
  }

  /** All operations may be repeated: after a temporary error they are, once. */
  async function exchange(request: BucketRequest): Promise<HttpResponse> {
    const first = await send(request).catch((error: RequestError) => {
      if (error.isStale) return undefined
      throw error
    })
    if (first && !isTemporary(first.status)) return first
    if (first) await delay(retryAfterMs)
    return await send(request)
  }

  /** Gives a response with one of these statuses. */
  async function ask(request: BucketRequest, expected: readonly number[]): Promise<HttpResponse> {
    const operation = request.method.toLowerCase() as Lowercase<Method>
    try {
      const response = await exchange(request)
      if (!expected.includes(response.status)) throw errorOf(request.method, response)
      count?.(operation, 'ok')
      return response
    } catch (error) {
      count?.(operation, 'failed')
      if (error instanceof RequestError) {
        throw new BucketError('unavailable', `${request.method}: ${error.reason}: ${error.message}`)
      }
      throw error
    }
  }

  return {
    async put(key: string, body: Uint8Array, signal?: AbortSignal): Promise<void> {
      await ask({ method: 'PUT', key, body, timeoutMs: uploadTimeoutMs, signal }, [200])
    },

    /** `length` bytes of the object, starting at `from`. */
    async read(key: string, from: number, length: number, signal?: AbortSignal): Promise<Buffer> {
      const range = `bytes=${from}-${from + length - 1}`
      // A server may send a whole object as 200.
      const expected = from === 0 ? [200, 206] : [206]
      const { body } = await ask({ method: 'GET', key, range, maxBytes: length, signal }, expected)
      if (body.length === length) return body
      throw new BucketError('damaged', `GET: ${body.length} bytes instead of ${length}`)
    },

    /**
     * The size of the object in bytes; undefined if it does not exist or is empty. A GET, because the response to a HEAD
     * does not say whether the object is missing or the bucket.
     */
    async findSize(key: string, signal?: AbortSignal): Promise<number | undefined> {
      try {
        const request = { method: 'GET', key, range: 'bytes=0-0', signal } as const
        const { headers } = await ask(request, [206])
        return Number(headers['content-range']?.split('/')[1])
      } catch (error) {
        if (error instanceof BucketError && error.problem !== 'unavailable') return undefined
        throw error
      }
    },

    /** Also if it does not exist. */
    async delete(key: string, signal?: AbortSignal): Promise<void> {
      const { body, status } = await ask({ method: 'DELETE', key, signal }, [200, 204, 404])
      if (status === 404 && codeOf(body) === 'NoSuchBucket') {
        throw new BucketError('unavailable', 'DELETE: NoSuchBucket')
      }
    },

    close(): void {
      agent.destroy()
    },
  }
}

/** With metrics of its requests. */
export function openCountedBucket(settings: ObjectStorageSettings, metrics: Metrics): Bucket {
  return openBucket({ ...settings, count: countRequests(metrics) })
}

function countRequests({ registry }: Metrics) {
  return counter<[operation: string, result: string]>(
    registry,
    'animal_store_object_requests_total',
    'Requests to the object storage by operation and result.',
    ['operation', 'result'],
  ).add
}

function isTemporary(status: number): boolean {
  return status === 429 || status >= 500
}

function errorOf(method: Method, { body, status }: HttpResponse): BucketError {
  const code = codeOf(body)
  const message = `${method}: status ${status}${code === undefined ? '' : ` ${code}`}`
  if (status === 404 && code === 'NoSuchKey') return new BucketError('missing', message)
  if (status === 416) return new BucketError('damaged', message)
  return new BucketError('unavailable', message)
}

/** The code of an error, such as NoSuchKey. */
function codeOf(body: Buffer): string | undefined {
  return /<Code>(\w{1,64})<\/Code>/.exec(body.toString('latin1'))?.[1]
}
