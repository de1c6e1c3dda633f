// A dialog, which gives the focus back when it closes, and the form in it, which keeps what was typed when it
// fails. What is in a dialog begins anew each time it opens.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export interface DialogProps {
  opened: boolean
  title: string
  close: () => void
  children: ReactNode
  size?: string
}

export function Dialog({ children, close, opened, size = 'md', title }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size={size}
      // What was typed, or is shown only once, does not go by a slip of the hand.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  )
}

export interface DialogFormProps {
  close: () => void
  /** On the button. */
  verb: string
  submit: () => void
  isPending: boolean
  /** What no field is to blame for. */
  problem?: string | undefined
  children: ReactNode
}

export function DialogForm({ children, close, isPending, problem, submit, verb }: DialogFormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isPending) submit()
      }}
    >
      <Stack>
        {children}
        {problem && (
          <Text c="red" role="alert">
            {problem}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
