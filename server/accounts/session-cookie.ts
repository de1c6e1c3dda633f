// The session cookie: not readable by scripts and not sent with cross-site requests. With an https
// dashboard, it is also never sent unencrypted or set by a sibling domain (RFC 6265bis, __Host-).
import { cookiesNamed } from '#kit/http/request/cookies.ts'
import { longestSessionMs } from './sessions.ts'

const form = /^[0-9A-Za-z]{43}$/
/** The browser's order is not trusted. */
const maxTokens = 20

/** `dashboardUrl` determines the name and the Secure attribute. */
export function sessionCookie(dashboardUrl: URL) {
  const isSecure = dashboardUrl.protocol === 'https:'
  const name = isSecure ? '__Host-animal-store' : 'animal-store'
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    /** The tokens in a request's Cookie header that could be valid, at most `maxTokens`. */
    read(field?: string): string[] {
      const values = cookiesNamed(field, name)
      return [...new Set(values.filter((value) => form.test(value)))].slice(0, maxTokens)
    },
    /** Set-Cookie for a new session. */
    write: (token: string) => `${name}=${token}; Max-Age=${longestSessionMs / 1000}; ${attributes}`,
    /** Set-Cookie for a session that has ended. */
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  }
}
