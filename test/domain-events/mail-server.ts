// A real SMTP server in this process that accepts mail, refuses it, is busy or is stopped, as a test requires.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { makeCertificate } from '../edge/certificates.ts'

export interface ReceivedMail {
  /** The recipient of the envelope. */
  to: string
  isEncrypted: boolean
  user: string | undefined
  headers: Record<string, string>
  text: string
}

export interface MailServer {
  port: number
  /** For SMTP_URL. */
  url: string
  received: ReceivedMail[]
  /** Mails that were started, accepted or not. */
  attempts: number
  /** Credentials that were sent, as `user:password`. */
  logins: string[]
  mode: 'takes' | 'busy' | 'refuses'
  /** Stops listening and aborts open connections. */
  close(): Promise<void>
}

export const login = { user: 'owl', password: 'wisdom/of@night' }
const mailCertificate = makeCertificate(['localhost'])

/**
 * Makes this process trust the server's certificate. Returns a function that reverts it. Call it in a hook or a test:
 * those of a file whose tests are skipped do not run, and other files share the process.
 */
export function trustMailServer(): () => void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, mailCertificate.chain])
  return () => setDefaultCACertificates(before)
}

export interface MailServerOptions {
  port?: number
  isSecure?: boolean
  /** Credentials are neither required nor accepted. */
  isOpen?: boolean
  /** Does not offer STARTTLS. */
  isPlain?: boolean
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { isOpen = false, isPlain = false, isSecure = false, port = 0 } = options
  const smtp = new SMTPServer({
    secure: isSecure,
    key: mailCertificate.key,
    cert: mailCertificate.chain,
    authOptional: isOpen,
    disabledCommands: [...(isOpen ? ['AUTH'] : []), ...(isPlain ? ['STARTTLS'] : [])],
    allowInsecureAuth: isPlain,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth({ password, username }, _session, response) {
      server.logins.push(`${username}:${password}`)
      if (username === login.user && password === login.password) response(null, { user: username })
      else response(new Error(`no such login: ${username} ${password}`))
    },
    onRcptTo(_address, _session, response) {
      server.attempts += 1
      if (server.mode === 'takes') return response()
      const [code, text] = server.mode === 'busy' ? [451, 'come again'] : [550, 'no such mailbox']
      response(Object.assign(new Error(text), { responseCode: code }))
    },
    async onData(stream, session, response) {
      server.received.push({
        to: session.envelope.rcptTo.map(({ address }) => address).join(' '),
        isEncrypted: session.secure,
        user: session.user as string | undefined,
        ...read(await text(stream)),
      })
      response()
    },
  })
  smtp.on('error', () => {})
  smtp.listen(port, '127.0.0.1')
  await once(smtp.server, 'listening')
  const bound = (smtp.server.address() as AddressInfo).port
  const { password, user } = login
  const credentials = isOpen ? '' : `${user}:${encodeURIComponent(password)}@`
  const server: MailServer = {
    port: bound,
    url: `${isSecure ? 'smtps' : 'smtp'}://${credentials}localhost:${bound}`,
    received: [],
    attempts: 0,
    logins: [],
    mode: 'takes',
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  return server
}

function read(raw: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = lines.map((line) => {
    const at = line.indexOf(': ')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 2)]
  })
  const text = raw
    .slice(end + 4)
    .replaceAll('=\r\n', '')
    .replaceAll('\r\n', '\n')
  return { headers: Object.fromEntries(headers), text }
}
