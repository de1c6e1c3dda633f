// Sends one mail at a time through the configured server (RFC 5321). A login never goes over a connection that
// is not encrypted, unless the server is this machine; without a login any encryption is better than none. The server is
// configured by one URL, which holds its password and is never shown.
import { within } from '../promises.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  /** Unique for this mail: a server that is sent it twice can tell. */
  id: string
  at: Date
}

/** `refused`: the server wants none for this recipient, now or later. The words are safe to log. */
export type MailOutcome = 'sent' | { refused: string } | { failed: string }

/** Subject and text of a mail to a reader, whose name may be empty. */
export function asMail(subject: string, name: string, paragraphs: readonly string[]) {
  const greeting = `Hello${name === '' ? '' : ` ${name}`},`
  return { subject, text: `${[greeting, ...paragraphs].join('\n\n')}\n` }
}

export type SendMail = (mail: Mail) => Promise<MailOutcome>

const connectWithinMs = 10_000
const silentForMs = 15_000
/** With all that belongs to it. */
const sendWithinMs = 40_000

export function createMailSender(config: MailConfig): SendMail {
  const { from } = config
  return async ({ at, id, subject, text, to }) => {
    const mail = {
      from,
      to: { name: '', address: to },
      subject,
      text,
      date: at,
      messageId: `<${id}@${domainOf(from)}>`,
      // No automatic replies, such as absence notes (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    return await withTransport(config, sendWithinMs, (transport) =>
      transport.sendMail(mail).then((): MailOutcome => 'sent', outcomeOf),
    )
  }
}

/** Connects, encrypts and signs in as for a mail, and sends none. */
export async function verifyMailServer(config: MailConfig, withinMs: number) {
  return await withTransport(config, withinMs, (transport) =>
    transport.verify().then(
      () => 'accepted' as const,
      (error: unknown) => ({ failed: describeError(error) }),
    ),
  )
}

async function withTransport<T>(
  config: MailConfig,
  withinMs: number,
  use: (transport: Awaited<ReturnType<typeof openTransport>>) => Promise<T>,
): Promise<T | { failed: string }> {
  const transport = await openTransport(config)
  try {
    return await within(withinMs, use(transport), () => ({ failed: 'took too long' }))
  } finally {
    transport.close()
  }
}

async function openTransport({ host, isSecure, login, port }: MailConfig) {
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
  // Few programs send mail, and it is a large library.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && login !== undefined && !isHere,
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    ...(isSecure || login ? {} : { tls: { rejectUnauthorized: false } }),
    dnsTimeout: connectWithinMs,
    connectionTimeout: connectWithinMs,
    greetingTimeout: connectWithinMs,
    socketTimeout: silentForMs,
    // What a text names is nothing to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function outcomeOf(error: unknown): MailOutcome {
  const { code, responseCode } = error as MailError
  const said = describeError(error)
  const isForGood = code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500
  return isForGood ? { refused: said } : { failed: said }
}

interface MailError {
  code?: string
  command?: string
  responseCode?: number
}

/** What a server says may hold anything: only its codes are told. */
function describeError(error: unknown): string {
  const { code = 'failed', command, responseCode } = error as MailError
  return [code, command, responseCode].filter((part) => part !== undefined).join(' ')
}

function domainOf(from: string): string {
  return /@([^>]+)/.exec(from)?.[1] ?? 'localhost'
}

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
