// The session cookie: not readable by scripts and not sent with cross-site requests. With an https
// dashboard, it is also never sent unencrypted or set by a sibling domain (RFC 6265bis, __Host-).
import { longestSessionMs } from './sessions.ts'

const form = /^[0-9A-Za-z]{43}$/

export interface SessionCookie {
  /** The token in a request's Cookie header; undefined if there is none or more than one. */
  read(field: string | undefined): string | undefined
  /** Set-Cookie for a new session. */
  write(token: string): string
  /** Set-Cookie for a session that has ended. */
  clear(): string
}

/** `dashboardUrl` determines the name and the Secure attribute. */
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
