// A table of records, with fewer columns where it is narrow, and as cards on a phone. Its roles are explicit, because
// screen readers lose those of a table with another layout.
import {
  Box,
  Checkbox,
  Table,
  type TableProps,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { type CSSProperties, type ReactNode, useRef, useState } from 'react'
import { ChevronIcon } from './icons.tsx'
import classes from './records.module.css'

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

/** The order of a list, chosen by the titles of its columns. */
export interface Sorting {
  value: string
  set: (value: string) => void
}

/** Rows that are selected, by their ids. */
interface Selection<Row> {
  ids: ReadonlySet<Row extends { id: infer Id } ? Id : never>
  set: (ids: ReadonlySet<Row extends { id: infer Id } ? Id : never>) => void
  /** For screen readers. */
  nameOf: (row: Row) => string
}

export interface RecordsProps<Row> {
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

export function Records<Row extends { id: string | number }>({
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
  type Id = Selection<Row>['ids'] extends ReadonlySet<infer One> ? One : never
  const ids = rows.map(({ id }) => id as Id)
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
  const minors = columns.filter(({ isMinor }) => isMinor)
  const tracks = [
    ...(selection ? ['auto'] : []),
    ...columns.flatMap(({ isHead, isMinor }) =>
      isMinor ? [] : isHead ? 'minmax(7rem, 1fr)' : 'auto',
    ),
    ...(actions ? ['auto'] : []),
  ]
  /** Of a narrow table: the tracks of its grid, and the lines of each row. */
  const head = tracks.findIndex((track) => track !== 'auto')
  const narrow = {
    '--tracks': tracks.join(' '),
    '--lines': 1 + minors.length,
    '--head': 1 + head,
    '--inset': head === 0 ? '0.75rem' : '0.45rem',
  } as CSSProperties
  const lineOf = (column: Column<Row>): CSSProperties =>
    column.isMinor ? ({ '--minor-line': 2 + minors.indexOf(column) } as CSSProperties) : {}
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
                    checked={selection.ids.has(row.id as Id)}
                    onChange={({ currentTarget: { checked }, nativeEvent }) => {
                      const next = new Set(selection.ids)
                      for (const id of rangeTo(row.id as Id, nativeEvent)) {
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
                  data-title={column.title}
                  data-head={column.isHead}
                  data-number={column.isNumber}
                  data-minor={column.isMinor}
                  style={lineOf(column)}
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
    <Box className={classes.scrolled ?? ''} mah={mah} tabIndex={0}>
      <Table {...table} />
    </Box>
  )
}
