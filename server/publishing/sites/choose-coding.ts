// Which of the stored forms of a file a client gets (RFC 9110, section 12.5.3).
import Negotiator from 'negotiator'
import { chooseEncoding, type Encoding } from '../../platform/http/request/negotiate.ts'

/** Which forms there are besides the plain one. */
export interface Codings {
  gzip: boolean
  br: boolean
}

/** The form that the client likes best of those that there are; ours decides between equals. */
export function chooseCoding(acceptEncoding: string | undefined, there: Codings): Encoding {
  if (acceptEncoding === undefined || !(there.gzip || there.br)) return 'identity'
  const best = chooseEncoding(acceptEncoding)
  if (best === 'identity' || there[best]) return best
  const other = best === 'br' ? 'gzip' : 'br'
  if (!there[other]) return 'identity'
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const [first] = negotiator.encodings([other, 'identity'])
  return first === other ? other : 'identity'
}
