// Handler of the operation on access to sites.
import type { Awaitable } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { PublishingContext } from '../database/publishing-context.ts'
import { createAccessCode } from './access-codes.ts'
import { isSessionOfMember } from './is-session-of-member.ts'
import { operations } from './operations.ts'

/** At sites that only members may see, before their files. */
export const accessPath = '/_site/access'

type Context = Pick<PublishingContext, 'clock' | 'database'> & {
  /** The site at a host of this installation that only members may see; its origin has no slash at the end. */
  findMembersSite(host: string): Awaitable<{ projectId: string; origin: string } | undefined>
}

export function siteAccessRoutes({ clock, database, findMembersSite }: Context): Route[] {
  return [
    route(operations.enterSite, async ({ body: { host, state }, caller: { by } }) => {
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
    }),
  ]
}
