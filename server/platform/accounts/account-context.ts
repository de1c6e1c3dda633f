// What the operations on accounts need of the process they run in.
import type { Clock } from '../clock.ts'
import type { Database, Session } from '../database/database.ts'
import type { Passwords } from './passwords.ts'

export interface AccountContext {
  /** Has the accounts: the database of publishing. */
  database: Database
  /** Has the allowances that attempts are counted against. */
  allowances: Database
  /** Where the dashboard is; links lead there. Its cookie is Secure where this is https. */
  dashboardUrl: URL
  clock: Clock
  /** One for each process. */
  passwords: Passwords
  /**
   * Whether the account still owns projects. It is asked inside the write that removes the account, after
   * the lock of all writes was taken, so that its answer stays true until the account is gone.
   */
  ownsProjects(session: Session, accountId: string): Promise<boolean>
}
