// The mail server of the configuration: one URL, which holds its password and is never shown.

/** `from`: such as `Animal Store <store@example.com>`. */
export type MailConfig = NonNullable<ReturnType<typeof readSmtpUrl>> & { from: string }

const standardPorts = { 'smtp:': 587, 'smtps:': 465 }

/** Reads `smtp://user:password@host:port?from=sender`; undefined for what is none. */
export function readSmtpUrl(text: string) {
  const url = URL.parse(text)
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  if (!url || !isSmtp || url.hostname === '' || !/^\/?$/.test(url.pathname)) return undefined
  const from = url.searchParams.get('from') ?? undefined
  if (url.searchParams.size > (from === undefined ? 0 : 1)) return undefined
  if (from !== undefined && !isMailFrom(from)) return undefined
  if (url.hash || (url.username === '') !== (url.password === '')) return undefined
  try {
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
    return {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || standardPorts[url.protocol as keyof typeof standardPorts],
      /** From the first byte on (smtps); otherwise STARTTLS (RFC 3207). */
      isSecure: url.protocol === 'smtps:',
      login: user === '' ? undefined : { user, password },
      from,
    }
  } catch {
    return undefined
  }
}

/** Whether it is an address, alone or as `Name <address>`. */
export function isMailFrom(text: string): boolean {
  return /^(?:[^<>"\p{Cc}]{1,100}<[^\s@<>,;"]+@[^\s@<>,;"]+>|[^\s@<>,;"]+@[^\s@<>,;"]+)$/u.test(
    text,
  )
}
