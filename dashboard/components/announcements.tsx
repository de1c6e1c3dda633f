// Short notices in the corner, which screen readers hear: what was done, and how to undo it.
import { Button, CloseButton, Group, Paper, Stack, Text } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import classes from './announcements.module.css'

export interface Announcement {
  text: string
  tone?: 'done' | 'failed'
  /** Takes back what was done; offered as long as the notice is there. */
  undo?: () => void
}

const shownMs = 6000
const Context = createContext<(announcement: Announcement) => void>(() => {})

/** Gives the function that announces. */
export const useAnnounce = () => useContext(Context)

export function Announcements({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Announcement & { id: number })[]>([])
  const last = useRef(0)
  const drop = useCallback(
    (id: number) => setShown((all) => all.filter((each) => each.id !== id)),
    [],
  )
  const announce = useCallback(
    (announcement: Announcement) => {
      const id = ++last.current
      setShown((all) => [...all.slice(-2), { ...announcement, id }])
      // What can be undone, and what went wrong, stays long enough to be read.
      const long = announcement.undo !== undefined || announcement.tone === 'failed'
      setTimeout(() => drop(id), long ? 2 * shownMs : shownMs)
    },
    [drop],
  )
  return (
    <Context value={announce}>
      {children}
      <Stack className={classes.corner} gap="xs" role="status" aria-live="polite">
        {shown.map(({ id, text, tone = 'done', undo }) => (
          <Paper key={id} className={classes.notice} data-tone={tone} shadow="md" withBorder>
            <Group gap="sm" wrap="nowrap" justify="space-between">
              <Text size="sm">{text}</Text>
              <Group gap={4} wrap="nowrap">
                {undo && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    onClick={() => {
                      undo()
                      drop(id)
                    }}
                  >
                    Undo
                  </Button>
                )}
                <CloseButton size="sm" aria-label="Dismiss" onClick={() => drop(id)} />
              </Group>
            </Group>
          </Paper>
        ))}
      </Stack>
    </Context>
  )
}
