// The request fields that the service reads, as parameters of the OpenAPI document. Accept, Content-Type
// and Authorization are not among them: OpenAPI 3.1 (section 4.8.12.1) has other places for these.

export const requestHeaders = {
  'X-Request-Id': {
    description:
      'A name for this request, given back in the answer and written to the log. One that is not of this form is replaced.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
    example: 'import-2027-01-01.17',
  },
  'If-None-Match': {
    description:
      'The ETag of an answer that the client has (RFC 9110): where it is still current, the answer is 304.',
    schema: { type: 'string' },
  },
  'If-Match': {
    description:
      'The ETag that the record must still have (RFC 9110); if it has changed, the response is 412 and nothing is written.',
    schema: { type: 'string' },
  },
  Prefer: {
    description:
      '`count=exact` adds X-Total-Count to the answer (RFC 7240). Other preferences are ignored.',
    schema: { type: 'string' },
    example: 'count=exact',
  },
  'Idempotency-Key': {
    description:
      'A name for this request, 1 to 255 visible ASCII characters, plain or in quotation marks. For 24 hours the same request with the same key gives the first response again; any other request of the same API key with it is a 422.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 257,
      pattern: '^("[!#-\\[\\]-~]{1,255}"|[!#-~][!-~]{0,254})$',
    },
  },
} as const
