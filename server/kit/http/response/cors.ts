// Cross-origin requests (Fetch standard, "CORS protocol"): by an allow-list of origins, never with cookies.

const allowHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id'
const exposeHeaders =
  'Deprecation, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, ' +
  'Retry-After, Sunset, X-Request-Id, X-Total-Count'

/** Headers, names and values in turn, for an answer to a page of `origin`. */
export function corsHeaders(origin: string | undefined, allowed: ReadonlySet<string>): string[] {
  if (origin === undefined || !allowed.has(origin)) return []
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposeHeaders]
}

/** Headers for a preflight from an allowed origin. */
export function preflightHeaders(methods: string): string[] {
  return [
    'Access-Control-Allow-Methods',
    methods,
    'Access-Control-Allow-Headers',
    allowHeaders,
    'Access-Control-Max-Age',
    '7200',
  ]
}
