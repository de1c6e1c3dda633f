// Short notices in the corner, which screen readers announce: what was done, and how to undo it.
import { Button, CloseButton, Group, Paper, Stack, Text } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { explain } from '../platform/api.ts'

interface Announcement {
  text: string
  isFailure?: boolean
  /** Offered while the notice is shown. */
  undo?: (() => Promise<unknown>) | undefined
}

const shownMs = 6000
/** How long Undo is offered. */
export const undoMs = 2 * shownMs
const Context = createContext<(text: string, more?: Omit<Announcement, 'text'>) => void>(() => {})

/** Returns the function that announces. */
export const useAnnounce = () => useContext(Context)

/** Returns a function that awaits a change, then announces that it is done, or why it failed. */
export function useAttempt() {
  const announce = useAnnounce()
  return <Result,>(
    change: Promise<Result>,
    /** Returns what to announce; false for nothing. */
    done?: (result: Result) => string | false,
    undo?: () => Promise<unknown>,
  ): void => {
    change.then(
      (result) => {
        const text = done?.(result)
        if (text) announce(text, { undo })
      },
      (error) => announce(explain(error), { isFailure: true }),
    )
  }
}

export function Announcements({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<(Announcement & { id: number })[]>([])
  const lastId = useRef(0)
  const remove = useCallback(
    (id: number) => setShown((all) => all.filter((each) => each.id !== id)),
    [],
  )
  const announce = useCallback(
    (text: string, more: Omit<Announcement, 'text'> = {}) => {
      const id = ++lastId.current
      setShown((all) => [...all.slice(-2), { text, ...more, id }])
      // A failure or an offer to undo stays twice as long.
      setTimeout(() => remove(id), more.undo || more.isFailure ? undoMs : shownMs)
    },
    [remove],
  )
  return (
    <Context value={announce}>
      {children}
      <Stack
        pos="fixed"
        right={16}
        bottom={16}
        w="min(24rem, calc(100vw - 2rem))"
        style={{ zIndex: 400 }}
        gap="xs"
        role="status"
        aria-live="polite"
      >
        {shown.map(({ id, isFailure, text, undo }) => (
          <Paper
            key={id}
            p="0.6rem 0.6rem 0.6rem 0.9rem"
            shadow="md"
            withBorder
            style={{
              borderLeft: `4px solid var(--mantine-color-${isFailure ? 'red' : 'leaf'}-filled)`,
            }}
          >
            <Group gap="sm" wrap="nowrap" justify="space-between">
              <Text size="sm" miw={0}>
                {text}
              </Text>
              <Group gap={4} wrap="nowrap" flex="none">
                {undo && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    data-shortcut="undo"
                    onClick={() => {
                      undo().catch((error) => announce(explain(error), { isFailure: true }))
                      remove(id)
                    }}
                  >
                    Undo
                  </Button>
                )}
                <CloseButton size="md" aria-label="Dismiss" onClick={() => remove(id)} />
              </Group>
            </Group>
          </Paper>
        ))}
      </Stack>
    </Context>
  )
}
