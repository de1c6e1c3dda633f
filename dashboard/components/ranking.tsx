// Names by how often they occur, the most frequent first, with a bar for each and how it changed.
import { Button, Paper, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { count } from '../platform/numbers.ts'
import { Change, isCompared } from './change.tsx'
import { Section } from './page.tsx'
import classes from './ranking.module.css'

interface RankedName {
  name: string
  count: number
  /** In the period before; null if that is not known. */
  previous: number | null
}

const shownAtFirst = 8

export function Ranking({
  before,
  counts,
  empty,
  items,
  names,
  previous,
  show = (name) => name,
  title,
  total,
}: {
  title: string
  /** The titles of the columns. */
  names: string
  counts: string
  items: RankedName[]
  /** Of all, those that are not among the items included. */
  total: number
  /** The same of the period before. Without any, nothing is compared. */
  previous: number | null
  /** The period before: `the 30 days before`. */
  before: string
  show?: (name: string) => ReactNode
  empty: string
}) {
  const [showsAll, setShowsAll] = useState(false)
  const hasChanges = isCompared(previous)
  const most = items[0]?.count ?? 1
  const shown = showsAll ? items : items.slice(0, shownAtFirst)
  const others = total - items.reduce((sum, item) => sum + item.count, 0)
  return (
    <Paper withBorder p="md" h="100%">
      <Section level={3} size="h6" title={title}>
        {items.length === 0 && others === 0 ? (
          <Text size="sm" c="dimmed">
            {empty}
          </Text>
        ) : (
          <table className={classes.table} aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{names}</th>
                <th scope="col">{counts}</th>
                {hasChanges && <th scope="col">Change</th>}
              </tr>
            </thead>
            <tbody>
              {shown.map((item) => (
                <tr key={item.name}>
                  <th scope="row">
                    <span
                      className={classes.bar}
                      style={{ width: `${Math.max(1, (100 * item.count) / most)}%` }}
                    />
                    <span className={classes.name}>{show(item.name)}</span>
                  </th>
                  <td>{count(item.count)}</td>
                  {hasChanges && (
                    <td className={classes.change}>
                      <Change now={item.count} previous={item.previous ?? 0} before={before} />
                    </td>
                  )}
                </tr>
              ))}
              {others > 0 && (showsAll || items.length <= shownAtFirst) && (
                <tr>
                  <th scope="row">
                    <Text component="span" c="dimmed" size="sm">
                      Others
                    </Text>
                  </th>
                  <td>{count(others)}</td>
                  {hasChanges && <td />}
                </tr>
              )}
            </tbody>
          </table>
        )}
        {items.length > shownAtFirst && (
          <Button
            variant="default"
            size="compact-sm"
            mt="sm"
            aria-expanded={showsAll}
            aria-label={`${showsAll ? 'Show fewer' : 'Show all'}: ${title}`}
            onClick={() => setShowsAll(!showsAll)}
          >
            {showsAll ? 'Show fewer' : `Show all ${items.length}`}
          </Button>
        )}
      </Section>
    </Paper>
  )
}
