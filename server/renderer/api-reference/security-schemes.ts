// The security schemes of a document, as text and as parts of a request.
import { entriesField, fieldOf, isFields, textField } from './document-values.ts'
import { oneLine } from './plain-text.ts'
import { isWebAddress } from './read-operations.ts'
import type { ReferenceContext } from './reference-context.ts'

export type SecurityScheme = ReturnType<typeof readScheme>

/** The credentials that a scheme adds to a request. */
type Credential =
  | { place: 'header' | 'query' | 'cookie'; name: string; prefix: string; variable: string }
  | { place: 'user' | 'certificate' | 'unknown' }

export function readSecuritySchemes(context: ReferenceContext): Map<string, SecurityScheme> {
  const { root } = context.document
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, item] of entriesField(root.components, 'securitySchemes')) {
    const fields = context.resolve(item).value
    if (isFields(fields)) schemes.set(name, readScheme(name, fields))
  }
  return schemes
}

interface Kind {
  /** Such as "Bearer token". */
  title: string
  /** One sentence: plain text, and the code at its end. */
  words: string
  code?: string
  credential: Credential
}

function readScheme(name: string, fields: unknown) {
  const flows = entriesField(fields, 'flows')
  const scopes = new Map<string, string>()
  for (const [, flow] of flows) {
    for (const [scope, words] of entriesField(flow, 'scopes')) {
      scopes.set(scope, typeof words === 'string' ? words : '')
    }
  }
  const links = [
    ...flows.flatMap(([flow, about]) => [
      { title: `Authorization (${oneLine(flow, 40)})`, url: textField(about, 'authorizationUrl') },
      { title: `Tokens (${oneLine(flow, 40)})`, url: textField(about, 'tokenUrl') },
    ]),
    { title: 'Configuration', url: textField(fields, 'openIdConnectUrl') },
  ]
  return {
    name,
    ...kindOf(name, fields),
    description: textField(fields, 'description'),
    links: links.filter(({ url = '' }) => isWebAddress(url)),
    scopes: [...scopes].map(([scope, description]) => ({ name: scope, description })),
  }
}

function kindOf(name: string, fields: unknown): Kind {
  const type = textField(fields, 'type')
  if (type === 'http') return httpKind(name, fields)
  if (type === 'apiKey') return keyKind(fields)
  if (type === 'oauth2' || type === 'openIdConnect') {
    return {
      title: type === 'oauth2' ? 'OAuth 2.0' : 'OpenID Connect',
      words: 'Send the access token in the header',
      code: 'Authorization: Bearer ACCESS_TOKEN',
      credential: bearer('ACCESS_TOKEN'),
    }
  }
  if (type === 'mutualTLS') {
    return {
      title: 'Client certificate',
      words: 'Connect with a client certificate (mutual TLS).',
      credential: { place: 'certificate' },
    }
  }
  return {
    title: oneLine(name, 60),
    words: 'The document does not say how it is sent.',
    credential: { place: 'unknown' },
  }
}

function bearer(variable: string): Credential {
  return { place: 'header', name: 'Authorization', prefix: 'Bearer ', variable }
}

function httpKind(name: string, fields: unknown): Kind {
  const scheme = oneLine(textField(fields, 'scheme') ?? 'Bearer', 40)
  if (scheme.toLowerCase() === 'basic') {
    return {
      title: 'User name and password',
      words: 'Send user name and password by HTTP basic authentication.',
      credential: { place: 'user' },
    }
  }
  const variable = /key/i.test(name) ? 'API_KEY' : 'TOKEN'
  const isBearer = scheme.toLowerCase() === 'bearer'
  const word = isBearer ? 'Bearer' : scheme
  return {
    title: isBearer ? 'Bearer token' : `HTTP ${scheme}`,
    words: 'Send it in the header',
    code: `Authorization: ${word} ${variable}`,
    credential: { place: 'header', name: 'Authorization', prefix: `${word} `, variable },
  }
}

function keyKind(fields: unknown): Kind {
  const name = oneLine(textField(fields, 'name') ?? 'X-API-Key', 100)
  const given = fieldOf(fields, 'in')
  const place = given === 'query' || given === 'cookie' ? given : 'header'
  const words = {
    header: 'Send the key in the header',
    query: 'Send the key as the query parameter',
    cookie: 'Send the key in the cookie',
  }
  return {
    title: 'API key',
    words: words[place],
    code: place === 'header' ? `${name}: API_KEY` : `${name}=API_KEY`,
    credential: { place, name, prefix: '', variable: 'API_KEY' },
  }
}
