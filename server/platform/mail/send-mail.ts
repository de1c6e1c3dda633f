// Sends one mail at a time through the configured server (RFC 5321). A login never goes over a connection that
// is not encrypted, unless the server is this machine; without a login any encryption is better than none.
import type { MailConfig } from './mail-config.ts'

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

export type SendMail = (mail: Mail) => Promise<MailOutcome>

const connectWithinMs = 10_000
const silentForMs = 15_000
/** With all that belongs to it. */
export const sendWithinMs = 40_000

export function createMailSender(config: MailConfig): SendMail {
  const { from, host, isSecure, login, port } = config
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)

  return async ({ at, id, subject, text, to }) => {
    // Few programs send mail, and it is a large library.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
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
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<MailOutcome>((resolve) => {
      timer = setTimeout(() => resolve({ failed: 'took too long' }), sendWithinMs)
    })
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
    const sent = transport.sendMail(mail).then((): MailOutcome => 'sent', outcomeOf)
    try {
      return await Promise.race([sent, late])
    } finally {
      clearTimeout(timer)
      transport.close()
    }
  }
}

/** What a server says may hold anything: only its codes are told. */
function outcomeOf(error: unknown): MailOutcome {
  const {
    code = 'failed',
    command,
    responseCode,
  } = error as {
    code?: string
    command?: string
    responseCode?: number
  }
  const said = [code, command, responseCode].filter((part) => part !== undefined).join(' ')
  const isForGood = code === 'EENVELOPE' && responseCode !== undefined && responseCode >= 500
  return isForGood ? { refused: said } : { failed: said }
}

function domainOf(from: string): string {
  return /@([^>]+)/.exec(from)?.[1] ?? 'localhost'
}
