// The previous and the next page of a list, by button or arrow key.
import { Button, Group, Text } from '@mantine/core'
import { useEffect } from 'react'

interface PagerProps {
  prev: string | null
  next: string | null
  go: (cursor: string) => void
  /** How many there are: `50 animals`. */
  summary: string
}

export function Pager({ go, next, prev, summary }: PagerProps) {
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
