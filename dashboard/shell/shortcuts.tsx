// Keyboard shortcuts outside of fields: g and a letter opens a page, ? lists all shortcuts.
import { Group, Kbd, Modal, Stack, Table, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useEnvironment } from '../platform/requests.ts'
import type { Account } from '../platform/session.ts'
import { navigationOf } from './navigation.tsx'

/** Between the two keys of a shortcut. */
const maxGapMs = 1200

export function Shortcuts({ account }: { account: Account }) {
  const [isShown, setShown] = useState(false)
  const navigate = useNavigate()
  const environment = useEnvironment()
  const startedAt = useRef(0)
  const items = navigationOf(account, environment).flatMap(([, group]) => group)

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') {
        setShown(true)
        return
      }
      if (event.key === 'g') {
        startedAt.current = event.timeStamp
        return
      }
      const isSecond = event.timeStamp - startedAt.current < maxGapMs
      startedAt.current = 0
      const item = isSecond && items.find(({ key }) => key === event.key)
      if (item) {
        event.preventDefault()
        void navigate(item.to)
        return
      }
      // Pages mark their search field and their Add buttons, notices their Undo; the last notice is the newest.
      const marked = { '/': 'search', n: 'new', z: 'undo' }[event.key]
      const found = document.querySelectorAll<HTMLElement>(`[data-shortcut="${marked}"]`)
      const target = [...found].at(marked === 'undo' ? -1 : 0)
      if (!target) return
      event.preventDefault()
      if (marked === 'search') target.focus()
      else target.click()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  })

  return (
    <Modal
      opened={isShown}
      onClose={() => setShown(false)}
      title="Keyboard shortcuts"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Table
          data={{
            body: [
              ...items.map(({ key, title }) => [title, keysOf('g', key)]),
              ['Search everything', keysOf('Ctrl', 'k')],
              ['Search on this page', keysOf('/')],
              ['Add something on this page', keysOf('n')],
              ['Undo, while it is offered', keysOf('z')],
              ['Previous and next page of a list', keysOf('←', '→')],
              ['This list', keysOf('?')],
            ],
          }}
        />
        <Text size="sm" c="dimmed">
          They are off while you type in a field.
        </Text>
      </Stack>
    </Modal>
  )
}

function keysOf(...keys: string[]) {
  return (
    <Group gap={4} justify="flex-end">
      {keys.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </Group>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}
