// What the operations on accounts take from the process.
import type { Clock } from '#kit/clock.ts'
import type { SecondFactorRule } from '#kit/config/variables.ts'
import type { Database, Session } from '#kit/database/database.ts'
import type { SendMail } from '#kit/mail/send-mail.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { Passwords } from './passwords.ts'
import type { ProjectName } from './schema.ts'

export interface AccountContext {
  /** The publishing database, which contains the accounts. */
  database: Database
  /** The database of the rate limits for sign-in attempts. */
  allowances: Database
  /** The dashboard's address, used in links. With https, the session cookie is Secure. */
  dashboardUrl: URL
  clock: Clock
  /** Encrypts the secrets of authenticator apps. */
  secrets: Secrets
  /** Whose sessions need a second factor. */
  secondFactor: SecondFactorRule
  /** Undefined where no mail server is configured. */
  sendMail?: SendMail | undefined
  /** One for each process. */
  passwords: Passwords
  /**
   * Whether the account still owns projects. Called inside the transaction that removes the account, after
   * it has taken the write lock, so that the answer stays true until the account is removed.
   */
  ownsProjects(session: Session, accountId: string): Promise<boolean>
  /** The projects of deploy tokens, by id. One that was deleted is missing. */
  nameProjects(session: Session, ids: string[]): Promise<Map<string, ProjectName>>
}
