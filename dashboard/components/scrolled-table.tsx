// A table that scrolls in its own frame, at most `mah` high.
import { Box, Table, type TableProps } from '@mantine/core'
import classes from './scrolled-table.module.css'

export function ScrolledTable({ mah, ...table }: TableProps & { mah: string }) {
  return (
    // Scrolling by keyboard needs the focus.
    <Box className={classes.frame ?? ''} mah={mah} tabIndex={0}>
      <Table {...table} />
    </Box>
  )
}
