// Tables of records, with fewer columns where it is narrow, and as cards on a phone. Their roles are explicit, because
// screen readers lose those of a table with another layout. Some have pages, one of which is shown. Tokens are such records
// with how one is revoked, and how long a new one can be valid.
import {
  Button,
  Checkbox,
  Group,
  Paper,
  Stack,
  Table,
  type TableProps,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ComponentProps, type CSSProperties, type ReactNode, useRef, useState } from 'react'
import { isCode } from '../platform/api.ts'
import { counted } from '../platform/formats.ts'
import { ConfirmButton } from './actions.tsx'
import { ChevronIcon } from './icons.tsx'
import type { Filters } from './inputs.tsx'
import { Empty, Failed, Loaded, LoadedItems, Loading, NoMatches } from './page.tsx'
import classes from './records.module.css'
import { Ago, Note, StateBadge, useNow } from './values.tsx'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** The cell that names the record. */
  isHead?: true
  isNumber?: true
  /** In a narrow table, below the head instead of in a column of its own. */
  isMinor?: true
  /** What sorts the list by this column; with a hyphen, in reverse. */
  sort?: string
  /** The value by which this column sorts the rows that are shown, where the server does not sort. */
  by?: (row: Row) => string | number
}

/** `isSorted`: sorts the rows that are shown by it. */
export const timeColumn = <Name extends string>(
  title: string,
  name: Name,
  { isMinor, isSorted = false }: { isMinor?: true; isSorted?: boolean } = {},
): Column<{ [N in Name]: string | null }> => ({
  title,
  cell: (row) => <Ago time={row[name]} />,
  ...(isMinor && { isMinor }),
  ...(isSorted && { by: (row) => row[name] ?? '' }),
})

/** The order of a list, chosen by the titles of its columns. */
interface Sorting {
  value: string
  set: (value: string) => void
}

type Id = string | number

/** Rows that are selected, by their ids. */
interface Selection<Row> {
  ids: ReadonlySet<Id>
  set: (ids: ReadonlySet<Id>) => void
  /** For screen readers. */
  nameOf: (row: Row) => string
}

interface RecordsProps<Row> {
  /** For screen readers. */
  caption: string
  columns: Column<Row>[]
  /** The buttons of a row, in the last column. */
  actions?: ((row: Row) => ReactNode) | undefined
  rows: Row[]
  /** While the next page is loading. */
  isStale?: boolean
  sorting?: Sorting
  selection?: Selection<Row>
}

export function Records<Row extends { id: Id }>({
  actions,
  caption,
  columns: given,
  isStale,
  rows: unsorted,
  selection,
  sorting: ofServer,
}: RecordsProps<Row>) {
  const [value, set] = useState('')
  const columns = given.map((column) => (column.by ? { ...column, sort: column.title } : column))
  const sorting = ofServer ?? { value, set }
  const rows = sortRows(unsorted, columns, value)
  const ids: Id[] = rows.map(({ id }) => id)
  const chosen = ids.filter((id) => selection?.ids.has(id))
  const isAll = chosen.length === ids.length
  const last = useRef<Id>(undefined)
  /** With Shift, all from the row that was clicked last to this one. */
  function rangeTo(id: Id, click: Event): Id[] {
    const from = last.current === undefined ? -1 : ids.indexOf(last.current)
    last.current = id
    if (from === -1 || !('shiftKey' in click && click.shiftKey)) return [id]
    const [start = 0, end = 0] = [from, ids.indexOf(id)].toSorted((a, b) => a - b)
    return ids.slice(start, end + 1)
  }
  const tracks = [
    ...(selection ? ['auto'] : []),
    ...columns.flatMap(({ isHead, isMinor }) =>
      isMinor ? [] : isHead ? 'minmax(7rem, 1fr)' : 'auto',
    ),
    ...(actions ? ['auto'] : []),
  ]
  /** Of a narrow table: the tracks of its grid, and that of the head. */
  const narrow = {
    '--tracks': tracks.join(' '),
    '--head': 1 + tracks.findIndex((track) => track !== 'auto'),
  } as CSSProperties
  return (
    <div className={classes.frame} style={narrow} data-stale={isStale} aria-busy={isStale}>
      <Table verticalSpacing="sm" highlightOnHover role="table" aria-label={caption}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {selection && (
              <Table.Th role="columnheader" scope="col" w={44}>
                <Checkbox
                  size="xs"
                  aria-label={`Select all ${rows.length}`}
                  checked={isAll}
                  indeterminate={chosen.length > 0 && !isAll}
                  onChange={() => selection.set(new Set(isAll ? [] : ids))}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <ColumnTitle key={column.title} column={column} sorting={sorting} />
            ))}
            {actions && (
              <Table.Th role="columnheader" scope="col">
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={row.id} role="row" className={classes.row ?? ''}>
              {selection && (
                <Table.Td role="cell" data-select>
                  <Checkbox
                    size="xs"
                    aria-label={`Select ${selection.nameOf(row)}`}
                    checked={selection.ids.has(row.id)}
                    onChange={({ currentTarget: { checked }, nativeEvent }) => {
                      const next = new Set(selection.ids)
                      for (const id of rangeTo(row.id, nativeEvent)) {
                        if (checked) next.add(id)
                        else next.delete(id)
                      }
                      selection.set(next)
                    }}
                  />
                </Table.Td>
              )}
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  role={column.isHead ? 'rowheader' : 'cell'}
                  data-title={column.isHead ? undefined : column.title}
                  data-head={column.isHead}
                  data-number={column.isNumber}
                  data-minor={column.isMinor}
                >
                  <div>{column.cell(row)}</div>
                </Table.Td>
              ))}
              {actions && (
                <Table.Td role="cell" data-actions>
                  <div>{actions(row)}</div>
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** `order`: the title of a column that sorts, or that after a hyphen; empty for the order as it came. */
function sortRows<Row>(rows: Row[], columns: Column<Row>[], order: string): Row[] {
  const isReverse = order.startsWith('-')
  const by = columns.find(({ title }) => title === order.slice(isReverse ? 1 : 0))?.by
  if (!by) return rows
  const compare = (a: Row, b: Row): number => {
    const [one, other] = [by(a), by(b)]
    return typeof one === 'string' && typeof other === 'string'
      ? one.localeCompare(other, 'en', { numeric: true })
      : Number(one) - Number(other)
  }
  return rows.toSorted((a, b) => (isReverse ? compare(b, a) : compare(a, b)))
}

function ColumnTitle<Row>({
  column: { isMinor, isNumber, sort, title },
  sorting,
}: {
  column: Column<Row>
  sorting: Sorting
}) {
  const isReverse = sorting.value === `-${sort}`
  const isSorted = sort !== undefined && (isReverse || sorting.value === sort)
  const state = isSorted ? (isReverse ? 'descending' : 'ascending') : 'none'
  return (
    <Table.Th
      role="columnheader"
      scope="col"
      data-number={isNumber}
      data-minor={isMinor}
      {...(sort ? { 'aria-sort': state } : {})}
    >
      {sort ? (
        <UnstyledButton
          className={classes.sort ?? ''}
          data-state={state}
          onClick={() => sorting.set(state === 'ascending' ? `-${sort}` : sort)}
        >
          {title}
          <ChevronIcon size={14} />
        </UnstyledButton>
      ) : (
        title
      )}
    </Table.Th>
  )
}

/** Scrolls in its own frame, at most `mah` high. */
export function ScrolledTable({ mah, ...table }: TableProps & { mah: string }) {
  return (
    // Scrolling by keyboard needs the focus.
    <Paper withBorder mah={mah} style={{ overflow: 'auto' }} tabIndex={0}>
      <Table tabularNums {...table} />
    </Paper>
  )
}

/** The records of a query, those that were fetched so far. */
export function LoadedRecords<Row extends { id: Id }>({
  empty,
  loading,
  query,
  ...records
}: Omit<RecordsProps<Row>, 'rows'> &
  Omit<ComponentProps<typeof LoadedItems<Row>>, 'children' | 'hasMore'>) {
  return (
    <LoadedItems query={query} empty={empty} loading={loading}>
      {(rows) => <Records {...records} rows={rows} />}
    </LoadedItems>
  )
}

interface RecordPage<Row> {
  items: Row[]
  prev: string | null
  next: string | null
  total: number | null
}

/** A list by pages: the table, the pager, and what is shown when it is empty. */
export function PagedRecords<Row extends { id: number }>({
  empty,
  filters: { clear, get, isAny, set },
  isShown = () => true,
  query,
  unit,
  ...records
}: Omit<RecordsProps<Row>, 'rows' | 'isStale'> & {
  query: UseQueryResult<RecordPage<Row>>
  filters: Filters<string>
  /** One of them, and several: `['order']`, `['category', 'categories']`. */
  unit: [one: string, many?: string]
  empty: ReactNode
  /** False for records that are about to be deleted. */
  isShown?: (row: Row) => boolean
}) {
  const [one, many = `${one}s`] = unit
  const go = (cursor: string): void => set({ cursor })
  if (!query.data && isCode(query.error, 'invalid_cursor')) {
    return <Failed error={query.error} retry={() => go('')} />
  }
  return (
    <Loaded query={query} loading={<Loading rows={8} />}>
      {({ items: all, next, prev, total }) => {
        const items = all.filter(isShown)
        if (items.length === 0 && next === null) {
          if (!isAny && get('cursor') === '') return empty
          return <NoMatches of={many} clear={clear} />
        }
        return (
          <>
            {items.length === 0 ? (
              // The API searches a limited number of records per page.
              <Empty title="No matches on this page">The next pages may have some.</Empty>
            ) : (
              <Records {...records} rows={items} isStale={query.isPlaceholderData} />
            )}
            <Pager
              prev={prev}
              next={next}
              go={go}
              summary={total === null ? '' : counted(total, one, many)}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** The previous and the next page of a list, by button or arrow key. */
function Pager({
  go,
  next,
  prev,
  summary,
}: Pick<RecordPage<unknown>, 'prev' | 'next'> & { go: (cursor: string) => void; summary: string }) {
  useWindowEvent('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const cursor = event.key === 'ArrowRight' ? next : event.key === 'ArrowLeft' ? prev : null
    // Arrow keys have functions of their own there.
    const isTaken = event.target instanceof Element && event.target.closest(ownArrowKeys)
    if (cursor === null || isTaken || document.querySelector('[role="dialog"]')) return
    event.preventDefault()
    go(cursor)
  })
  const pages = [
    { title: 'Previous page', key: 'ArrowLeft', cursor: prev },
    { title: 'Next page', key: 'ArrowRight', cursor: next },
  ]
  return (
    <Group justify="space-between" mt="sm" gap="sm">
      <Note role="status">{summary}</Note>
      {(prev !== null || next !== null) && (
        <Group gap="xs">
          {pages.map(({ cursor, key, title }) => (
            <Button
              key={key}
              size="sm"
              disabled={cursor === null}
              onClick={() => cursor !== null && go(cursor)}
              aria-keyshortcuts={key}
            >
              {title}
            </Button>
          ))}
        </Group>
      )}
    </Group>
  )
}

const ownArrowKeys = 'input, textarea, select, [role="menu"], [role="tablist"], [role="radiogroup"]'

interface Token {
  id: string
  label: string
  lastUsedAt: string | null
  expiresAt: string
}

function TokenName({ by, token }: { token: Token; by: string | undefined }) {
  const { expiresAt, label } = token
  const now = useNow()
  return (
    <Stack gap={0}>
      <Group gap={6}>
        {label}
        {Date.parse(expiresAt) <= now && <StateBadge tone="neutral">Expired</StateBadge>}
      </Group>
      {by !== undefined && <Note>by {by}</Note>}
    </Stack>
  )
}

/** The list of tokens, each with what more is known of it. */
export function TokenRecords<Row extends Token>({
  columns,
  nameBy,
  revoke,
  revoked,
  ...records
}: Omit<ComponentProps<typeof LoadedRecords<Row>>, 'actions'> & {
  /** Who created a token, if that is shown. */
  nameBy?: (row: Row) => string
  revoke: (id: string) => Promise<unknown>
  /** What happens to programs that use it. */
  revoked: string
}) {
  return (
    <LoadedRecords<Row>
      {...records}
      columns={[
        {
          title: 'Name',
          isHead: true,
          by: ({ label }) => label,
          cell: (token) => <TokenName token={token} by={nameBy?.(token)} />,
        },
        ...columns,
        timeColumn('Last used', 'lastUsedAt', { isSorted: true }),
        timeColumn('Expires', 'expiresAt', { isSorted: true }),
      ]}
      actions={({ id, label }) => (
        <ConfirmButton
          label={`Revoke ${label}`}
          title={`Revoke ${label}?`}
          text={revoked}
          verb="Revoke"
          act={() => revoke(id)}
          done={`${label} is revoked.`}
        />
      )}
    />
  )
}

export const tokenLifetimes = [
  { value: '7', label: 'in 7 days' },
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '366', label: 'in a year' },
]
