// Content negotiation (RFC 9110, section 12). Results are cached: clients send the same few values.
import Negotiator from 'negotiator'

/** What the published types leave out: our order decides between encodings that the client likes equally. */
type PreferringNegotiator = {
  encodings(offered: string[], options: { preferred: string[] }): string[]
}

export type Encoding = 'identity' | 'gzip' | 'br'

/** True when the Accept field leaves `mediaType` possible. No field, or an empty one, accepts everything. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept === '*/*') return true
  return cached(acceptable, `${mediaType} ${accept}`, () => {
    // Our types have no parameters: only the quality says whether one is wanted.
    const plain = accept.replace(/;\s*(?!q\s*=)[\w-]+\s*=\s*("[^"]*"|[^;,"\s]*)/gi, '')
    if (plain.trim() === '') return true
    return new Negotiator({ headers: { accept: plain } }).mediaTypes([mediaType]).length > 0
  })
}

/** The best encoding we have for an Accept-Encoding field. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity'
  return cached(encodings, acceptEncoding, () => {
    const offered = ['br', 'gzip', 'identity']
    const negotiator = new Negotiator({
      headers: { 'accept-encoding': acceptEncoding },
    }) as PreferringNegotiator
    return (negotiator.encodings(offered, { preferred: offered })[0] ?? 'identity') as Encoding
  })
}

const acceptable = new Map<string, boolean>()
const encodings = new Map<string, Encoding>()
const maxCached = 500

function cached<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key)
  if (before !== undefined) return before
  const found = find()
  if (known.size >= maxCached) known.clear()
  if (key.length < 1000) known.set(key, found)
  return found
}
