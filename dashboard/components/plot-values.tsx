// The values of plots as a table, on request.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import classes from './plot-values.module.css'
import { ScrolledTable } from './records.tsx'

export function PlotValues({
  children,
  empty,
  head,
  rows,
  title,
}: {
  /** Of the table, for screen readers. */
  title: string
  /** What the plots show, beside the button. */
  children: string
  head: string[]
  rows: string[][]
  /** Shown without rows. */
  empty: string
}) {
  const [isShown, setShown] = useState(false)
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {children} Use the pointer or the arrow keys to read values.
        </Text>
        <Button
          variant="default"
          size="compact-sm"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide table' : 'Show as table'}
        </Button>
      </Group>
      {isShown &&
        (rows.length === 0 ? (
          <Text c="dimmed">{empty}</Text>
        ) : (
          <ScrolledTable
            mah="24rem"
            className={classes.values ?? ''}
            aria-label={title}
            stickyHeader
            verticalSpacing={4}
            data={{ head, body: rows }}
          />
        ))}
    </Stack>
  )
}
