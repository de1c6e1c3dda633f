// A table of records that is a list of cards on a phone. Its roles are said outright: a table that is laid
// out anew is none to every screen reader.
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './records.module.css'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** The cell that names the record. */
  isHead?: true
  /** Numbers stand at the right. */
  isNumber?: true
  /** Buttons: at the end, their title for screen readers alone. */
  isActions?: true
}

export interface RecordsProps<Row> {
  /** What is in it, for screen readers. */
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string | number
  /** While the next page is on its way. */
  isStale?: boolean
}

export function Records<Row>({ caption, columns, isStale, keyOf, rows }: RecordsProps<Row>) {
  return (
    <div className={classes.frame} data-stale={isStale} aria-busy={isStale}>
      <Table verticalSpacing="sm" highlightOnHover role="table" aria-label={caption}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ isActions, isNumber, title }) => (
              <Table.Th key={title} role="columnheader" scope="col" data-number={isNumber}>
                {isActions ? <span className={classes.unseen}>{title}</span> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} role="row" className={classes.row ?? ''}>
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  role={column.isHead ? 'rowheader' : 'cell'}
                  data-title={column.title}
                  data-head={column.isHead}
                  data-number={column.isNumber}
                  data-actions={column.isActions}
                >
                  <div>{column.cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
