// A table of records, shown as cards on a phone. Its roles are explicit, because screen readers lose those of a
// table with another layout.
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './records.module.css'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** The cell that names the record. */
  isHead?: true
  /** Aligned right. */
  isNumber?: true
  /** Buttons, in the last column. Screen readers get the title. */
  isActions?: true
}

interface RecordsProps<Row> {
  /** For screen readers. */
  caption: string
  columns: Column<Row>[]
  rows: Row[]
  /** While the next page is loading. */
  isStale?: boolean
}

export function Records<Row extends { id: string | number }>({
  caption,
  columns,
  isStale,
  rows,
}: RecordsProps<Row>) {
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
            <Table.Tr key={row.id} role="row" className={classes.row ?? ''}>
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
