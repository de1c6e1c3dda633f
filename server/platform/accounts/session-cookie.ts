// The session cookie: not readable by scripts and not sent with cross-site requests. With an https
// dashboard, it is also never sent unencrypted or set by a sibling domain (RFC 6265bis, __Host-).
import { longestSessionMs } from './sessions.ts'

const form = /^[0-9A-Za-z]{43}$/

/** `dashboardUrl` determines the name and the Secure attribute. */
export function sessionCookie(dashboardUrl: URL) {
  const isSecure = dashboardUrl.protocol === 'https:'
  const name = isSecure ? '__Host-animal-store' : 'animal-store'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    /** The token in a request's Cookie header; undefined if there is none or more than one. */
    read(field = ''): string | undefined {
      const pairs = field.split(';').map((pair) => pair.trim())
      const [found, ...more] = pairs.filter((pair) => pair.startsWith(`${name}=`))
      const token = found?.slice(name.length + 1)
      return token !== undefined && more.length === 0 && form.test(token) ? token : undefined
    },
    /** Set-Cookie for a new session. */
    write: (token: string) => `${name}=${token}; Max-Age=${longestSessionMs / 1000}; ${attributes}`,
    /** Set-Cookie for a session that has ended. */
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}
