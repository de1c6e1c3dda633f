// The response headers, as components of the OpenAPI document. A `required` one is on every response that names it; the
// fuzzer checks that.

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

export const responseHeaders = {
  'X-Request-Id': {
    description: 'Names the request; quote it when you report a problem.',
    required: true,
    schema: text,
    example: '0c1f7a52b3d4-1x',
  },
  'X-Content-Type-Options': {
    description: 'Always `nosniff`.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Cache-Control': {
    description:
      '`private, no-cache` with an ETag for revalidation; `no-store` for responses that must not be cached.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
  },
  Vary: {
    description: 'The request fields that the answer depends on.',
    required: true,
    schema: text,
    example: 'Accept-Encoding, Origin',
  },
  ETag: {
    description:
      'Strong validator of the body (RFC 9110); send it back in If-None-Match to learn whether it changed.',
    required: true,
    schema: text,
    example: '"k2Xg3RZ5Vq0mW8c1Tn4yLbPdA9s"',
  },
  'Content-Encoding': {
    description: 'How the body is compressed, where Accept-Encoding allows it and it is worth it.',
    schema: { type: 'string', enum: ['gzip', 'br'] },
  },
  'Access-Control-Allow-Origin': {
    description: 'The Origin of the request, where it is an allowed one (Fetch standard).',
    schema: text,
    example: 'https://shop.example.com',
  },
  'Access-Control-Expose-Headers': {
    description: 'The fields that a script of an allowed Origin may read.',
    schema: text,
    example: 'ETag, Link, X-Request-Id',
  },
  'RateLimit-Policy': {
    description: 'The quota of the key; only where a limit is configured.',
    schema: text,
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'What is left of the quota; only where a limit is configured.',
    schema: text,
    example: '"default";r=599;t=1',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { ...count, minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': {
    description:
      'The challenge (RFC 6750): with `error` where a key was sent, with `scope` where the key lacks it.',
    required: true,
    schema: text,
    example: 'Bearer realm="animal-store", error="invalid_token"',
  },
  'Accept-Encoding': {
    description: '`identity`, where the body was compressed (RFC 9110, section 12.5.3).',
    schema: { type: 'string', const: 'identity' },
  },
  'Accept-Patch': {
    description: 'The media types of the body, if it had another one (RFC 5789, section 3.1).',
    schema: text,
    example: 'application/merge-patch+json, application/json',
  },
  'Accept-Post': {
    description: 'The media types of the body, if it had another one.',
    schema: text,
    example: 'application/json',
  },
  'Page-Link': {
    description: 'The other pages (RFC 8288): relations `first`, `prev` and `next`.',
    required: true,
    schema: text,
    example:
      '<https://store.example.com/v1/pets>; rel="first", <https://store.example.com/v1/pets?cursor=YWsuMWQ4YTJ5bg>; rel="next"',
  },
  'X-Total-Count': {
    description: 'How many records the filter has; only with `Prefer: count=exact`.',
    schema: count,
    example: 50,
  },
  'Preference-Applied': {
    description: '`count=exact`, where it was asked for (RFC 7240).',
    schema: { type: 'string', const: 'count=exact' },
  },
  Location: {
    description: 'The address of the new record.',
    required: true,
    schema: { type: 'string', format: 'uri' },
    example: 'https://store.example.com/v1/pets/51',
  },
  'Idempotent-Replayed': {
    description: '`true` where the Idempotency-Key was used before and its answer is given again.',
    schema: { type: 'string', const: 'true' },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated, in seconds since 1970 (RFC 9745).',
    required: true,
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1764892800',
  },
  Sunset: {
    description: 'When the operation will be removed (RFC 8594).',
    required: true,
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Deprecation-Link': {
    description:
      'Where to read more (relation `deprecation`) and what to use instead (`successor-version`).',
    required: true,
    schema: text,
    example:
      '<https://store.example.com/v1/openapi.yaml>; rel="deprecation"; type="application/yaml", <https://store.example.com/v1/pets?id=1>; rel="successor-version"',
  },
} as const

/** A name in components/headers: the header's own, except for the two kinds of Link. */
export type ResponseHeader = keyof typeof responseHeaders
