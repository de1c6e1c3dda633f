// Chooses the stored form of a file for a client (RFC 9110, section 12.5.3).
import Negotiator from 'negotiator'
import { chooseEncoding, type Encoding } from '#kit/http/request/negotiate.ts'

/** Which compressed forms are stored. */
export interface StoredEncodings {
  gzip: boolean
  br: boolean
}

/** The available form that the client prefers; between equal preferences the server decides. */
export function chooseStoredEncoding(
  acceptEncoding: string | undefined,
  there: StoredEncodings,
): Encoding {
  if (acceptEncoding === undefined || !(there.gzip || there.br)) return 'identity'
  const best = chooseEncoding(acceptEncoding)
  if (best === 'identity' || there[best]) return best
  const other = best === 'br' ? 'gzip' : 'br'
  if (!there[other]) return 'identity'
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const [first] = negotiator.encodings([other, 'identity'])
  return first === other ? other : 'identity'
}
