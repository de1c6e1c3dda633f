// Entries of the audit log: who changed what, newest first, filtered and exported.
import { Menu } from '@mantine/core'
import { type Answer, addressOf, type Query } from '../../client/management-client.ts'
import { downloads, MenuButton } from '../components/actions.tsx'
import { TextField } from '../components/form.tsx'
import { FilterForm, type Filters, useFilters } from '../components/inputs.tsx'
import { Empty, Loading, NoMatches, Page } from '../components/page.tsx'
import { type Column, LoadedRecords, timeColumn } from '../components/records.tsx'
import { Lines } from '../components/values.tsx'
import { capitalized } from '../platform/formats.ts'
import { useList } from '../platform/requests.ts'
import { methodText } from './sign-in-methods.ts'

type AuditEntry = Answer<'GET /audit-log'>['items'][number]
type Area = NonNullable<Query<'GET /audit-log'>['area']>

const areas: Record<Area, string> = {
  account: 'Accounts',
  session: 'Sessions',
  sign_in: 'Sign-in methods',
  plan: 'Plans',
  token: 'Access tokens',
  api_key: 'API keys',
  project: 'Projects',
  deploy: 'Deploys',
  domain: 'Domains',
  webhook: 'Webhooks',
}

/** What concerns the current account. */
export const Activity = () => (
  <AuditLog
    source="GET /account/audit-log"
    title="Activity"
    lead="What you did, and what was done to your account, projects and domains. Entries are kept for 400 days and cannot be changed."
  />
)

/** Everything, for operators. */
export const WholeLog = () => (
  <AuditLog
    source="GET /audit-log"
    title="Audit log"
    lead="Who changed accounts, plans, tokens, keys, projects, deploys, domains and webhooks. Entries are kept for 400 days and cannot be changed."
  />
)

interface AuditLogProps {
  source: 'GET /audit-log' | 'GET /account/audit-log'
  title: string
  lead: string
}

/** With filters and an export. */
function AuditLog({ lead, source, title }: AuditLogProps) {
  const filters = useFilters(['area', 'actor', 'target', 'from', 'to'])
  const query = queryOf(filters)
  const entries = useList(source, 'before', { query: { limit: 50, ...query } })
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <MenuButton title="Export">
          <Menu.Label>Matching entries, at most 100,000</Menu.Label>
          {downloads(['csv', 'ndjson'], (form) =>
            addressOf(`${source}/export`, { query: { form, ...query } }),
          )}
        </MenuButton>
      }
    >
      <FilterForm
        filters={filters}
        choice={{
          name: 'area',
          label: 'Area',
          data: Object.entries(areas)
            .filter(([area]) => source === 'GET /audit-log' || area !== 'api_key')
            .map(([value, label]) => ({ value, label })),
        }}
      >
        {(field) => (
          <>
            <TextField {...field('actor')} label="Account" placeholder="rosa@example.com" />
            <TextField {...field('target')} label="Record" placeholder="Name or ID" />
            <TextField {...field('from')} label="From" type="date" />
            <TextField {...field('to')} label="To" type="date" />
          </>
        )}
      </FilterForm>
      <LoadedRecords
        caption={title}
        columns={columns}
        query={entries}
        loading={<Loading rows={8} height={58} />}
        empty={
          filters.isAny ? (
            <NoMatches of="entries" clear={filters.clear} />
          ) : (
            <Empty title="No entries yet">Changes appear here as soon as they are made.</Empty>
          )
        }
      />
    </Page>
  )
}

const columns: Column<AuditEntry>[] = [
  {
    title: 'Action',
    isHead: true,
    cell: ({ action, detail }) => <Lines first={titleOf(action)} second={textOf(detail)} />,
  },
  { title: 'Record', isMinor: true, cell: ({ target }) => target.name || '–' },
  {
    title: 'Account',
    cell: ({ actor, address }) => (
      <Lines
        first={actor.name}
        second={[sources[actor.via], address].filter((text) => text).join(', ')}
      />
    ),
  },
  timeColumn('Time', 'at'),
]

/** The filters as parameters of the API. Both days belong to the period, in the time zone of the browser. */
function queryOf({ get }: Filters<string>) {
  const [actor, area, target] = [get('actor'), get('area'), get('target')]
  const since = startOfDay(get('from'), 0)
  const until = startOfDay(get('to'), 1)
  return {
    ...(area in areas && { area: area as Area }),
    ...(actor && { actor }),
    ...(target && { target }),
    ...(since && { since }),
    ...(until && { until }),
  }
}

/** Of `2026-11-22`, and `daysLater`; undefined for other texts. */
function startOfDay(text: string, daysLater: number): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  const time = new Date(Number(year), Number(month) - 1, Number(day) + daysLater)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const sources: Record<AuditEntry['actor']['via'], string> = {
  session: 'dashboard',
  token: 'access token',
  link: 'one-time link',
  command_line: 'on the server',
  program: 'automatic',
}

/** Most actions are titles by themselves: `token.created`, `account.password_reset`. */
function titleOf(action: AuditEntry['action']): string {
  const [kind = '', verb = ''] = action.split('.')
  const done = verb.replaceAll('_', ' ')
  const isWhole = done.includes(' ') && ['account', 'deploy', 'sign_in'].includes(kind)
  return titles[action] ?? capitalized(isWhole ? done : `${kinds[kind] ?? kind} ${done}`)
}

const kinds: Record<string, string> = { api_key: 'API key', token: 'Access token' }

const titles: Partial<Record<AuditEntry['action'], string>> = {
  'account.changed': 'Profile changed',
  'account.email_change_requested': 'New e-mail address requested',
  'account.email_confirmed': 'E-mail address confirmed',
  'account.invited': 'Invitation created',
  'session.started': 'Signed in',
  'session.failed': 'Sign-in failed',
  'session.others_ended': 'All other sessions ended',
  'sign_in.codes_added': 'Two-factor authentication on',
  'sign_in.codes_removed': 'Two-factor authentication off',
  'sign_in.recovery_codes_created': 'Recovery codes replaced',
  'project.visibility_changed': 'Site visibility changed',
  'project.site_settings_changed': 'Site settings changed',
  'project.member_changed': 'Project role changed',
  'project.transfer_offered': 'Project offered to a member',
  'deploy.promoted': 'Preview promoted',
  'deploy.preview_password_changed': 'Password of a preview changed',
  'domain.preparation_requested': 'Certificate before the switch requested',
  'domain.preparation_canceled': 'Certificate before the switch canceled',
  'domain.account_replaced': 'Account at the certificate authority replaced',
  'domain.connect_started': 'Connect at DNS provider started',
  'domain.connect_key_created': 'Domain Connect key created',
  'domain.connect_key_activated': 'Domain Connect key activated',
}

/** What else a reader of the table needs; identifiers are in exports. */
function textOf({ from, to, ...detail }: AuditEntry['detail']): string {
  const shown = [
    ...['email', 'environment', 'label', 'name', 'number', 'plan', 'role', 'scopes', 'slug'],
    ...['source', 'url'],
  ]
  const parts = shown.flatMap((name) => (detail[name] ? [`${name} ${detail[name]}`] : []))
  if (detail.reason) parts.unshift(`wrong ${detail.reason}`)
  if (typeof detail.active === 'boolean') parts.push(detail.active ? 'resumed' : 'paused')
  const method = methodText(detail.method)
  if (method) parts.unshift(method)
  if (from !== undefined && to !== undefined) parts.unshift(`${from} → ${to}`)
  return parts.join(', ')
}
