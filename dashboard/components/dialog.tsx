// Dialogs. A dialog returns the focus when it closes, and its content starts anew each time it opens.
import { Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { explain } from '../platform/api.ts'
import { TextField } from './fields.tsx'
import { Form } from './form.tsx'

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
      // A slip of the hand must not discard what was typed, or what is shown only once.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  )
}

export interface ConfirmProps {
  opened: boolean
  title: string
  /** What will happen. */
  children: ReactNode
  /** On the button: `Remove`, `Delete project`. */
  verb: string
  /** Must be typed first, where much would be lost. */
  name?: string
  isDestructive?: boolean
  /** The dialog closes when it resolves, and shows the error when it rejects. */
  act: () => Promise<unknown>
  close: () => void
}

/** Asks before an action that cannot be undone. */
export function Confirm({ close, opened, title, ...props }: ConfirmProps) {
  return (
    <Dialog opened={opened} close={close} title={title}>
      <ConfirmForm close={close} {...props} />
    </Dialog>
  )
}

function ConfirmForm(props: Omit<ConfirmProps, 'opened' | 'title'>) {
  const { act, children, close, isDestructive = true, name, verb } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)

  async function submit(): Promise<void> {
    setPending(true)
    setProblem(undefined)
    try {
      await act()
      close()
    } catch (error) {
      setProblem(explain(error))
    } finally {
      setPending(false)
    }
  }

  return (
    <Form
      verb={verb}
      submit={() => void submit()}
      isPending={isPending}
      problem={problem}
      close={close}
      isDestructive={isDestructive}
      isDisabled={name !== undefined && typed.trim() !== name}
    >
      <Text component="div">{children}</Text>
      {name !== undefined && (
        <TextField
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={setTyped}
          spellCheck={false}
          data-autofocus
        />
      )}
    </Form>
  )
}
