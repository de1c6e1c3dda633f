// Asks before something is destroyed: says what goes, and wants its name typed where there is much to lose.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { explain } from '../platform/api.ts'

export interface ConfirmProps {
  opened: boolean
  title: string
  children: ReactNode
  /** On the button: `Remove`, `Delete project`. */
  verb: string
  /** Has to be typed first. */
  name?: string
  /** False for what is only final, and destroys nothing. */
  isDestroying?: boolean
  /** Closes by itself when it went well; says why when it did not. */
  act: () => Promise<unknown>
  close: () => void
}

export function Confirm(props: ConfirmProps) {
  const { act, children, close, isDestroying = true, name, opened, title, verb } = props
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const [isActing, setActing] = useState(false)

  async function go(): Promise<void> {
    setActing(true)
    setFault(undefined)
    try {
      await act()
      end()
    } catch (error) {
      setFault(explain(error))
    } finally {
      setActing(false)
    }
  }

  function end(): void {
    setTyped('')
    setFault(undefined)
    close()
  }

  return (
    <Modal
      opened={opened}
      onClose={end}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void go()
        }}
      >
        <Stack>
          <div>{children}</div>
          {name !== undefined && (
            <TextInput
              label={`Type ${name} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          {fault && (
            <Text c="red" role="alert">
              {fault}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={end}>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(isDestroying ? { color: 'red' } : {})}
              loading={isActing}
              disabled={name !== undefined && typed.trim() !== name}
            >
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
