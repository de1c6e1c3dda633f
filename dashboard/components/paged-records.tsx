// A list of records by pages: the table, the pager, and what is shown when it is empty.
import { Button, Group, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useCallback, useEffect } from 'react'
import { isCode } from '../platform/api.ts'
import { counted } from '../platform/numbers.ts'
import type { Filters } from '../platform/use-filters.ts'
import { Records, type RecordsProps } from './records.tsx'
import { Empty, Failed, Loaded, Loading } from './states.tsx'

interface RecordPage<Row> {
  items: Row[]
  prev: string | null
  next: string | null
  total: number | null
}

export function PagedRecords<Row extends { id: number }>({
  empty,
  filters: { clear, get, isAny, set },
  isShown = () => true,
  query,
  unit,
  ...records
}: Omit<RecordsProps<Row>, 'rows' | 'isStale'> & {
  query: UseQueryResult<RecordPage<Row>>
  filters: Filters
  /** One of them, and several: `['order']`, `['category', 'categories']`. */
  unit: [one: string, many?: string]
  empty: ReactNode
  /** False for records that are about to be deleted. */
  isShown?: (row: Row) => boolean
}) {
  const [one, many = `${one}s`] = unit
  const go = useCallback((cursor: string) => set({ cursor }), [set])
  if (!query.data && isCode(query.error, 'invalid_cursor')) {
    return <Failed error={query.error} retry={() => go('')} />
  }
  return (
    <Loaded query={query} loading={<Loading rows={8} />}>
      {({ items: all, next, prev, total }) => {
        const items = all.filter(isShown)
        if (items.length === 0 && next === null) {
          if (!isAny && get('cursor') === '') return empty
          const showAll = (
            <Button variant="default" onClick={clear}>
              Show all {many}
            </Button>
          )
          return <Empty title={`No matching ${many}`} action={showAll} />
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

// The previous and the next page of a list, by button or arrow key.

interface PagerProps {
  prev: string | null
  next: string | null
  go: (cursor: string) => void
  /** How many there are: `50 animals`. */
  summary: string
}

function Pager({ go, next, prev, summary }: PagerProps) {
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const cursor = event.key === 'ArrowRight' ? next : event.key === 'ArrowLeft' ? prev : null
      const isFree = event.target === document.body || isInPlainContent(event.target)
      if (cursor === null || !isFree || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      go(cursor)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go, next, prev])
  const pages = [
    { title: 'Previous page', key: 'ArrowLeft', cursor: prev },
    { title: 'Next page', key: 'ArrowRight', cursor: next },
  ]
  return (
    <Group justify="space-between" mt="sm" gap="sm">
      <Text size="sm" c="dimmed" role="status">
        {summary}
      </Text>
      {(prev !== null || next !== null) && (
        <Group gap="xs">
          {pages.map(({ cursor, key, title }) => (
            <Button
              key={key}
              variant="default"
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

/** Where arrow keys have no other function: not in fields, menus, tabs. */
function isInPlainContent(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest(
      'input, textarea, select, [role="menu"], [role="tablist"], [role="radiogroup"]',
    ) === null
  )
}
