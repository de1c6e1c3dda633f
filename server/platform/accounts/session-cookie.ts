// The cookie of a session: never seen by scripts, never sent along from another site, and where the
// dashboard is at https neither sent in the clear nor set by a sister domain (RFC 6265bis, __Host-).
import { longestSessionMs } from './sessions.ts'

const form = /^[0-9A-Za-z]{43}$/

export interface SessionCookie {
  /** The token in a request's Cookie field; undefined without one, and when there are several. */
  read(field: string | undefined): string | undefined
  /** Set-Cookie for a session that has begun. */
  write(token: string): string
  /** Set-Cookie for one that has ended. */
  clear(): string
}

/** `dashboardUrl` decides on its name and on Secure. */
export function sessionCookie(dashboardUrl: URL): SessionCookie {
  const isSecure = dashboardUrl.protocol === 'https:'
  const name = isSecure ? '__Host-animal-store' : 'animal-store'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    read(field = '') {
      const pairs = field.split(';').map((pair) => pair.trim())
      const [found, ...more] = pairs.filter((pair) => pair.startsWith(`${name}=`))
      const token = found?.slice(name.length + 1)
      return token !== undefined && more.length === 0 && form.test(token) ? token : undefined
    },
    write: (token) => `${name}=${token}; Max-Age=${longestSessionMs / 1000}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}
