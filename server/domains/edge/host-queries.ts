// The queries that find what a host serves (find-host.ts): each is one statement.
import { sql } from 'kysely'
import { prepareQuery } from '#publishing/database/tables.ts'

const one = sql.lit(1n)
const proven = sql.lit('proven')
const primaryRole = sql.lit('primary')

const visibilityColumns = [
  'projects.id as project',
  'projects.visibility',
  'projects.site_password_hash',
] as const

export const byHost = prepareQuery<{ host: string }>()((db, param) =>
  db
    .selectFrom('domains')
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .leftJoin('slugs', (join) =>
      join.onRef('slugs.project_id', '=', 'domains.project_id').on('slugs.is_current', '=', one),
    )
    .leftJoin('projects', 'projects.id', 'domains.project_id')
    .leftJoin('domains as lead', (join) =>
      join
        .onRef('lead.project_id', '=', 'domains.project_id')
        .on('lead.role', '=', primaryRole)
        .on('lead.ownership', '=', proven),
    )
    .leftJoin('domains as target', (join) =>
      join
        .onRef('target.host', '=', 'domains.redirect_to')
        .onRef('target.project_id', '=', 'domains.project_id')
        .on('target.ownership', '=', proven),
    )
    .select(['slugs.slug', 'domains.serving', 'domains.role', 'domains.redirect_status'])
    .select(visibilityColumns)
    .select(['domains.expires_at', 'certificates.id', 'certificates.directory'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until'])
    .select(['target.host as target', 'target.serving as target_serving'])
    .select('target.expires_at as target_until')
    .where((eb) => eb.and({ 'domains.host': param('host'), 'domains.ownership': proven })),
)

/** A slug's host belongs to the project even without a row in `domains`. A held slug has no project. */
export const bySlug = prepareQuery<{ slug: string; host: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .leftJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('domains', (join) =>
      join.on('domains.host', '=', param('host')).on('domains.ownership', '=', proven),
    )
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .leftJoin('domains as lead', (join) =>
      join
        .onRef('lead.project_id', '=', 'slugs.project_id')
        .on('lead.role', '=', primaryRole)
        .on('lead.ownership', '=', proven),
    )
    .select(['domains.serving', 'domains.expires_at', 'slugs.cleared_until', 'slugs.is_current'])
    .select(visibilityColumns)
    .select(['certificates.id', 'certificates.directory'])
    .select(['lead.host as lead', 'lead.serving as lead_serving', 'lead.expires_at as lead_until'])
    .where('slugs.slug', '=', param('slug'))
    .where('slugs.project_id', 'is not', null),
)

export const byPreview = prepareQuery<{ slug: string; name: string; host: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('previews', 'previews.project_id', 'slugs.project_id')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('deploys', (join) =>
      join
        .onRef('deploys.project_id', '=', 'previews.project_id')
        .onRef('deploys.number', '=', 'previews.number'),
    )
    .leftJoin('domains', (join) =>
      join.on('domains.host', '=', param('host')).on('domains.ownership', '=', proven),
    )
    .leftJoin('certificates', (join) =>
      join
        .onRef('certificates.domain_id', '=', 'domains.id')
        .on('certificates.is_current', '=', one),
    )
    .select(['domains.serving', 'domains.expires_at', 'certificates.id', 'certificates.directory'])
    .select(['previews.project_id', 'previews.number', 'previews.password_hash'])
    .select(visibilityColumns)
    .select(['previews.expires_at as ends_at', 'deploys.kind'])
    .where('slugs.slug', '=', param('slug'))
    .where('slugs.is_current', '=', one)
    .where('previews.name', '=', param('name')),
)
