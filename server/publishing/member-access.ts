// How a visitor gets to see a site that not everyone may see with an account, and a program with a token. The end of a
// session, of a token and of a role take effect at once on every node: all are read for each request.
//
// A code brings the visitor from the dashboard to the site. It is random, works once and for a minute, at one host, and
// only in the browser that has started: `state` is the hash of a cookie of that host. The operation that makes it has no
// scope: only sessions can.

import { Type } from 'typebox'
import { findToken, recordUse } from '#accounts/sessions/access-tokens.ts'
import { type Account, siteScope } from '#kit/caller.ts'
import { type Awaitable, type Database, findOne, type Session } from '#kit/database/database.ts'
import { storedRow } from '#kit/database/plain-row.ts'
import { locked, takeLock } from '#kit/database/transactions.ts'
import { AppError } from '#kit/errors.ts'
import { hashSecret, randomToken } from '#kit/identifiers.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { routesOf } from '#kit/management/route.ts'
import { text } from '#kit/schema/described-schema.ts'
import type { PublishingContext } from './database/publishing-context.ts'
import { type PublishingTables, prepare, prepareQuery } from './database/tables.ts'
import { selectWithMember } from './projects/find-project.ts'
import { isPermitted, roleIn } from './projects/project-roles.ts'

/** At sites that only members may see, before their files. */
export const accessPath = '/_site/access'

const SiteVisit = Type.Object(
  {
    host: text(253, 'Host of the site, as the visitor has it.'),
    state: Type.String({
      pattern: '^[0-9a-f]{64}$',
      'x-pattern-message': 'must be as the page of the site has given it',
      description: 'From the page of the site that asks for an account.',
    }),
  },
  { $id: 'SiteVisit', description: 'A site that a visitor wants to see with an account.' },
)

const SiteAddress = Type.Object(
  {
    address: Type.String({
      format: 'uri',
      description:
        'Where the browser goes on. It works once, for a minute, in the browser that has asked.',
    }),
  },
  { $id: 'SiteAddress', description: 'The address that lets a visitor in.' },
)

type Context = Pick<PublishingContext, 'clock' | 'database'> & {
  /** The site at a host of this installation that only members may see; its origin has no slash at the end. */
  findMembersSite(host: string): Awaitable<{ projectId: string; origin: string } | undefined>
}

const route = routesOf<Context>({ tag: 'projects', access: 'account' })

export const siteAccessRoutes = [
  route('POST /site-access', 'enterSite', {
    summary: 'Get access to a site that only members may see',
    description:
      'For the owner of its project, members and operators. The access ends with the session, or with the membership.',
    body: SiteVisit,
    returns: SiteAddress,
    errors: ['project_not_found'],
    async handle({ body: { host, state }, caller: { by } }, { clock, database, findMembersSite }) {
      const now = clock()
      const site = await findMembersSite(host)
      // The same response for hosts that are not served, and for sites of others.
      const isMember =
        site !== undefined &&
        by.kind === 'session' &&
        (await isSessionOfMember(database.read, by.id, site.projectId, now))
      if (!isMember) {
        const message =
          'No site for members is at this host, or you do not have access to its project.'
        throw new AppError('project_not_found', message)
      }
      const { origin, projectId } = site
      const code = await createAccessCode(
        database,
        { sessionId: by.id, host, projectId, state },
        now,
      )
      return { address: `${origin}${accessPath}?code=${code}` }
    },
  }),
] as const

const lifeMs = 60_000

/** What a code is for. */
interface CodePurpose {
  sessionId: string
  host: string
  projectId: string
  state: string
}

/** A session has one code for each host. */
const save = prepare.upsert(
  'site_access_codes',
  { session_id: 'sessionId', host: 'host' },
  { code_hash: 'hash', project_id: 'projectId', state: 'state', expires_at: 'until' },
)
const find = prepare.select('site_access_codes', ['host'], { code_hash: 'hash' })
const take = prepare.delete('site_access_codes', { code_hash: 'hash' }, [
  ...(['session_id', 'host', 'project_id', 'state', 'expires_at'] as const),
])

/** Returns the code, of which only the hash is stored. */
export const createAccessCode = locked(
  async (session, purpose: CodePurpose, now: number): Promise<string> => {
    const code = randomToken()
    await session.all(save, { ...purpose, hash: hashSecret(code), until: now + lifeMs })
    return code
  },
)

/** Whether there is such a code, so that guesses write nothing. */
export const findAccessCode = async (session: Session, code: string): Promise<boolean> =>
  (await findOne(session, find, { hash: hashSecret(code) })) !== undefined

/** Ends the code. Undefined if it has been used or has expired. */
export const redeemAccessCode = locked(
  async (session, code: string, now: number): Promise<CodePurpose | undefined> => {
    const redeemed = await findOne(session, take, { hash: hashSecret(code) })
    return redeemed && Number(redeemed.expires_at) > now ? storedRow(redeemed) : undefined
  },
)

export const deleteExpiredAccessCodes = oldRowsOf<PublishingTables>()({
  table: 'site_access_codes',
  key: ['code_hash'],
  time: 'expires_at',
  lock: takeLock,
})

const accountOfSession = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['accounts.id', 'accounts.role'])
    .where('sessions.id', '=', param('id'))
    .where('sessions.ended_at', 'is', null)
    .where('sessions.expires_at', '>', param('now')),
)

export async function isSessionOfMember(
  read: Session,
  id: string,
  projectId: string,
  now: number,
): Promise<boolean> {
  const account = await findOne(read, accountOfSession, { id, now })
  return account !== undefined && (await roleOf(read, account, projectId)) !== undefined
}

const withMember = prepareQuery<{ account: string; project: string }>()((db, param) =>
  selectWithMember(db, param).where('projects.id', '=', param('project')),
)

async function roleOf(read: Session, account: Pick<Account, 'id' | 'role'>, project: string) {
  const row = await findOne(read, withMember, { account: account.id, project })
  return row && roleIn(account, row.owner_id, row.member_role)
}

/** Records that it was used. */
export async function isSiteToken(
  database: Database,
  text: string,
  project: string,
  now: number,
): Promise<boolean> {
  const stored = await findToken(database.read, text)
  if (!stored) return false
  const { account, token } = stored
  const isOfSite = token.projectId === project && token.scopes.includes(siteScope)
  if (!isOfSite || token.expiresAt <= now) return false
  const role = await roleOf(database.read, account, project)
  if (!role || !isPermitted(role, 'own')) return false
  // The time of last use is only informative: the request must not fail if it cannot be saved.
  await recordUse(database, token, now).catch(() => {})
  return true
}
