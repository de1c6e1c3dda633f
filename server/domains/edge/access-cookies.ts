// Signed cookies of visitors who may see a site or preview that not everyone may see. One is for one host, and ends with
// what it is bound to: a password, or a project. Scripts of the site cannot read it (HttpOnly).
import type { Clock } from '#kit/clock.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { isSecureAtProxy } from '#kit/network/addresses.ts'
import type { Secrets } from '#kit/secrets.ts'

export type AccessCookies = ReturnType<typeof createAccessCookies>

interface Bound {
  host: string
  /** Another text is another access. */
  boundTo: string
}

const purpose = 'site access'
const accessMs = 7 * 24 * 3_600_000
/** More of one name are not tried: sibling hosts can set cookies, too. */
const maxCookies = 10

export function createAccessCookies({ clock, secrets }: { clock: Clock; secrets: Secrets }) {
  return {
    /** A Set-Cookie header. `claim` has letters, digits and underscores. */
    grant(request: ApiRequest, bound: Bound, claim: string): string {
      const until = String(clock() + accessMs)
      const signature = secrets.sign(signedText(bound, claim, until), purpose)
      return setCookie(request, 'access', `${claim}.${until}.${signature}`, accessMs / 1000)
    },
    /** The claims of the request's cookies that are valid. */
    claimsOf(request: ApiRequest, bound: Bound): string[] {
      return readCookies(request, 'access').flatMap((value) => {
        const [claim = '', until = '', signature = ''] = value.split('.')
        if (!/^\d{1,15}$/.test(until) || Number(until) <= clock()) return []
        return secrets.isSigned(signedText(bound, claim, until), purpose, signature) ? [claim] : []
      })
    },
  }
}

function signedText({ boundTo, host }: Bound, claim: string, until: string): string {
  return [host, boundTo, claim, until].join('\n')
}

function isSecure(request: ApiRequest): boolean {
  return request.isSecure || isSecureAtProxy(request)
}

/** The prefix keeps sibling hosts from setting it (RFC 6265bis). */
function fullName(request: ApiRequest, name: string): string {
  return isSecure(request) ? `__Host-${name}` : name
}

/** A Set-Cookie header. Lax: a link in a message opens the site without asking again. */
export function setCookie(
  request: ApiRequest,
  name: string,
  value: string,
  maxAgeSeconds: number,
): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`
  return `${fullName(request, name)}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`
}

/** The values of the cookies of this name, as many as are tried. */
export function readCookies(request: ApiRequest, name: string): string[] {
  const prefix = `${fullName(request, name)}=`
  const pairs = String(request.headers.cookie ?? '').split(';')
  const own = pairs.map((pair) => pair.trim()).filter((pair) => pair.startsWith(prefix))
  return own.slice(0, maxCookies).map((pair) => pair.slice(prefix.length))
}
