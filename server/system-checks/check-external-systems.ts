// What the installation asks of others: whether the certificate authorities respond, and the clock, compared with the
// database's and with the authorities'; whether the mail server accepts this program, without sending a mail; and whether the
// object storage answers and its bucket is this installation's.
import { fetchDirectory } from '#acme/requests/acme-client.ts'
import { AcmeNoResponse, AcmeProblem } from '#acme/requests/read-response.ts'
import { operatorTask, quoteAnswer } from '#doctor/rules/certificate-rules.ts'
import {
  type AuthorityClients,
  askAccount,
  internalDirectory,
} from '#domains/certificates/authorities/authorities.ts'
import { findAccountProblem } from '#domains/database/account-problems.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, isPrivateName } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { readClockSkewMs } from '#kit/database/read-clock.ts'
import { type MailConfig, verifyMailServer } from '#kit/mail/send-mail.ts'
import type { Secrets } from '#kit/secrets.ts'
import { maxQuietSkewMs, maxSkewMs } from '#kit/system/clock-watch.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import { BucketError, openBucket } from '#publishing/objects/bucket.ts'
import { findOtherOwner } from '#publishing/objects/bucket-owner.ts'
import { countFiles } from '#publishing/objects/object-rows.ts'

export interface AuthoritiesContext {
  config: Pick<Config, 'acme' | 'platformHost'>
  clock: Clock
  authorities: Pick<AuthorityClients, 'clientOf' | 'directories'>
  /** Any database that responds; undefined if none was created. */
  database: Database | undefined
  /** That of the accounts at the authorities, and what decrypts their keys; undefined before the first start. */
  publishing: Database | undefined
  secrets: Secrets | undefined
}

const authority = findingsOf('authority')
const time = findingsOf('time')
/** Authorities and certificates are exact to the second, but nothing breaks within minutes. */
const maxAuthoritySkewMs = 60_000

export async function checkAuthorities(
  context: AuthoritiesContext,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { authorities, config } = context
  const onDatabase = checkDatabaseClock(context)
  if (authorities.directories.includes(internalDirectory)) {
    const finding = isPrivateName(config.platformHost)
      ? authority.ok('internal', 'The built-in authority needs no connection.')
      : authority.warning(
          'internal',
          'The built-in authority issues certificates, which browsers do not trust.',
          'Remove ACME_DIRECTORY to use a public authority, unless all visitors trust its root.',
        )
    return [finding, ...(await onDatabase)]
  }
  const outcomes = await Promise.all(
    authorities.directories.map((url) => checkDirectory(context, url, signal)),
  )
  return [...outcomes.flat(), ...(await onDatabase)]
}

async function checkDirectory(
  context: AuthoritiesContext,
  url: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { authorities, clock, config } = context
  const host = URL.parse(url)?.hostname ?? url
  const started = clock()
  try {
    const { date, directory } = await fetchDirectory(authorities.clientOf(url), { signal })
    const { binding } = config.acme
    const finding =
      directory.externalAccountRequired && binding === undefined
        ? authority.problem(
            host,
            'It accepts only accounts that are bound to one of its customers.',
            'Set ACME_EAB to what the authority gives you.',
          )
        : await checkAccount(context, url, host, signal)
    return [finding, ...authorityClockFindings(host, date, started, clock())]
  } catch (error) {
    return [authorityProblem(host, error)]
  }
}

/** Asks for the account, and looks at the last answer that operators have to act on. */
async function checkAccount(
  { authorities, clock, publishing, secrets }: AuthoritiesContext,
  url: string,
  host: string,
  signal: AbortSignal,
): Promise<Finding> {
  const read = publishing?.read
  const client = authorities.clientOf(url)
  // Before the first start of this version the database may not have what they read.
  const asked = read && secrets && askAccount({ read, secrets }, client, signal)
  const state = await asked?.catch(() => 'unknown')
  if (state === 'refused') {
    const message = 'It refuses the account of this installation: no certificates are issued.'
    return authority.problem(host, message, 'Run animal-store certificates account --replace.')
  }
  const problem = await (read && findAccountProblem(read, url, clock()).catch(() => undefined))
  if (problem) {
    const task = operatorTask(problem)
    const fix = `${task.charAt(0).toUpperCase()}${task.slice(1)}.`
    return authority.problem(host, `For ${problem.host}, ${quoteAnswer(problem)}`, fix)
  }
  const accepted = state === 'accepted' ? ', and it accepts the account' : ''
  return authority.ok(host, `Its directory is available${accepted}.`)
}

function authorityProblem(host: string, error: unknown): Finding {
  if (error instanceof AcmeNoResponse && error.reason === 'untrusted') {
    const fix = 'Set CA_FILE to its roots, or update the roots of the system.'
    return authority.problem(host, 'Its HTTPS certificate is not trusted here.', fix)
  }
  if (error instanceof AcmeNoResponse || error instanceof AcmeProblem) {
    const reason = error instanceof AcmeNoResponse ? error.reason : error.type
    const fix =
      'Check ACME_DIRECTORY, the DNS of this machine, and that its firewall allows HTTPS to the outside.'
    return authority.problem(host, `Its directory is not available (${reason}).`, fix)
  }
  throw error
}

function authorityClockFindings(
  host: string,
  date: number | undefined,
  started: number,
  ended: number,
): Finding[] {
  if (date === undefined) return []
  // The header has whole seconds, and was written at some moment of the request.
  const aheadMs = started > date + 1000 ? started - date - 1000 : ended < date ? ended - date : 0
  if (Math.abs(aheadMs) < maxAuthoritySkewMs)
    return [time.ok(host, 'The clock of this machine agrees with that of the authority.')]
  const message = `The clock of this machine is ${describeSkew(aheadMs)} that of ${host}.`
  const fix = 'Set it right with NTP (timedatectl set-ntp true): certificates depend on it.'
  return [time.problem(host, message, fix)]
}

async function checkDatabaseClock({ database }: AuthoritiesContext): Promise<Finding[]> {
  if (!database) return []
  if (database.clock) return [time.skipped('database', 'Its clock is that of this program.')]
  let aheadMs: number
  try {
    aheadMs = await readClockSkewMs(database)
  } catch {
    return [time.skipped('database', 'The database does not respond.')]
  }
  if (Math.abs(aheadMs) < maxQuietSkewMs)
    return [time.ok('database', 'The clock of this machine agrees with that of the database.')]
  const message = `The clock of this machine is ${describeSkew(aheadMs)} that of the database.`
  const fix = 'Set both right with NTP (timedatectl set-ntp true).'
  return [
    Math.abs(aheadMs) < maxSkewMs
      ? time.warning('database', message, fix)
      : time.problem('database', `${message} Its processes are not ready.`, fix),
  ]
}

function describeSkew(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10
  return `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
}

const mailServer = findingsOf('mail')
const withinMs = 8000

export async function checkMail(mail: MailConfig | undefined): Promise<Finding[]> {
  if (!mail) return [mailServer.skipped('SMTP_URL', 'No mail is sent: SMTP_URL is not set.')]
  const { host, isSecure, login, port } = mail
  const subject = `${host}:${port}`
  const outcome = await verifyMailServer(mail, withinMs)
  if (outcome === 'accepted') {
    const how = isSecure ? 'over TLS' : login ? 'with STARTTLS' : 'without a login'
    return [mailServer.ok(subject, login ? `Accepts the login ${how}.` : `Responds ${how}.`)]
  }
  const fix = /^EAUTH/.test(outcome.failed)
    ? 'Correct the user and the password in SMTP_URL.'
    : 'Check host, port and scheme (smtp or smtps) of SMTP_URL, and that the firewall allows the connection.'
  return [
    mailServer.problem(subject, `It does not accept mail from here (${outcome.failed}).`, fix),
  ]
}

const objects = findingsOf('objects')

/** `database`: of publishing; undefined before the first start. */
export async function checkObjectStorage(
  settings: Config['objectStorage'],
  database: Database | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  if (!database) return []
  if (!settings) {
    const subject = 'OBJECT_STORAGE_URL'
    const files = await countFiles(database.read, 'moved').catch(() => undefined)
    if (files === undefined)
      return [objects.skipped(subject, 'Its files cannot be read from the database.')]
    if (files === 0) return [objects.skipped(subject, 'All files are in the database.')]
    const message = `${files} files are in an object storage, but it is not set: visitors get a 503.`
    return [objects.problem(subject, message, 'Set it and its keys as they were.')]
  }
  const subject = settings.url.href
  const bucket = openBucket(settings)
  try {
    const other = await findOtherOwner(bucket, database.read, signal)
    if (other === undefined) return [objects.ok(subject, 'Responds.')]
    if (settings.move === 'off')
      return [objects.ok(subject, 'Responds. It is only read: it belongs to another installation.')]
    return [
      objects.problem(
        subject,
        `It belongs to another installation, ${other}: nothing is written or deleted there.`,
        `If that one is gone, add take_over=${other} to OBJECT_STORAGE_URL. If this one is a copy, set OBJECT_STORAGE_MOVE=off.`,
      ),
    ]
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    const fix = 'Check the address of the bucket, its keys and their rights, and the firewall.'
    return [objects.problem(subject, `It does not respond as expected (${error.message}).`, fix)]
  } finally {
    bucket.close()
  }
}
