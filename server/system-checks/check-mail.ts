// Whether the mail server accepts this program: greeting, encryption and sign-in, without sending a mail.
import { type MailConfig, verifyMailServer } from '#kit/mail/send-mail.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'

const { ok, problem, skipped } = findingsOf('mail')
const withinMs = 8000

export async function checkMail(mail: MailConfig | undefined): Promise<Finding[]> {
  if (!mail) return [skipped('SMTP_URL', 'No mail is sent: SMTP_URL is not set.')]
  const { host, isSecure, login, port } = mail
  const subject = `${host}:${port}`
  const outcome = await verifyMailServer(mail, withinMs)
  if (outcome === 'accepted') {
    const how = isSecure ? 'over TLS' : login ? 'with STARTTLS' : 'without a login'
    return [ok(subject, login ? `Accepts the login ${how}.` : `Responds ${how}.`)]
  }
  const fix = /^EAUTH/.test(outcome.failed)
    ? 'Correct the user and the password in SMTP_URL.'
    : 'Check host, port and scheme (smtp or smtps) of SMTP_URL, and that the firewall allows the connection.'
  return [problem(subject, `It does not accept mail from here (${outcome.failed}).`, fix)]
}
