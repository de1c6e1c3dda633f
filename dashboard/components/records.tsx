// A table of records, shown as cards on a phone. Its roles are explicit, because screen readers lose those of a
// table with another layout.
import { Box, Table, type TableProps, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './records.module.css'

export interface Column<Row> {
  title: string
  cell: (row: Row) => ReactNode
  /** The cell that names the record. */
  isHead?: true
  isNumber?: true
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
}

export function Records<Row extends { id: string | number }>({
  actions,
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
            {columns.map(({ isNumber, title }) => (
              <Table.Th key={title} role="columnheader" scope="col" data-number={isNumber}>
                {title}
              </Table.Th>
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
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  role={column.isHead ? 'rowheader' : 'cell'}
                  data-title={column.title}
                  data-head={column.isHead}
                  data-number={column.isNumber}
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

/** Scrolls in its own frame, at most `mah` high. */
export function ScrolledTable({ mah, ...table }: TableProps & { mah: string }) {
  return (
    // Scrolling by keyboard needs the focus.
    <Box className={classes.scrolled ?? ''} mah={mah} tabIndex={0}>
      <Table {...table} />
    </Box>
  )
}
