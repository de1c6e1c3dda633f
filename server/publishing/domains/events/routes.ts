// The log of what happened to domains: look the project up for the caller, call, reply.
import type { Database } from '../../../platform/database/database.ts'
import { AppError } from '../../../platform/errors.ts'
import { type Route, route } from '../../../platform/management/route.ts'
import { getOwnProject } from '../../projects/routes.ts'
import { findDomainInProject } from '../find-domains.ts'
import { readHostname } from '../hostname.ts'
import { findPosition, listEvents } from './list-events.ts'
import { listEventsOfDomain, listProjectEvents } from './operations.ts'
import type { DomainEvent, ListEventsQuery } from './schema.ts'
import { showEvent } from './show-event.ts'

const beyondAll = BigInt(Number.MAX_SAFE_INTEGER)

export function domainEventRoutes({ read }: Pick<Database, 'read'>): Route[] {
  async function page(
    project: string,
    { before, limit }: ListEventsQuery,
    host?: string,
  ): Promise<{ items: DomainEvent[]; next: string | null }> {
    // What is not known, or not any more, has nothing before it.
    const position =
      before === undefined ? beyondAll : ((await findPosition(read, project, before)) ?? 0n)
    const found = await listEvents(read, {
      project,
      before: position,
      most: limit + 1,
      ...(host === undefined ? {} : { host }),
    })
    const items = found.slice(0, limit).map(showEvent)
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  return [
    route(listProjectEvents, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug)
      return await page(id, query as ListEventsQuery)
    }),
    route(listEventsOfDomain, async ({ caller, params, query }) => {
      const { id } = await getOwnProject(read, caller, params.slug)
      const name = readHostname(params.host, { hosts: [], target: '' }).ok
      const host = name?.host ?? ''
      const found = await page(id, query as ListEventsQuery, host)
      if (found.items.length === 0 && !(await findDomainInProject(read, id, host))) {
        throw new AppError('domain_not_found', 'The project has no such domain, and had none.')
      }
      return found
    }),
  ]
}
