// The operation by which a visitor of a site that only members may see shows that an account is signed in. It has no scope:
// only sessions can.
import { Type } from 'typebox'
import type { Awaitable } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { routesOf } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { createAccessCode } from './access-codes.ts'
import { isSessionOfMember } from './is-session-of-member.ts'

/** At sites that only members may see, before their files. */
export const accessPath = '/_site/access'

const SiteVisit = Type.Object(
  {
    host: Type.String({ maxLength: 253, description: 'Host of the site, as the visitor has it.' }),
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
