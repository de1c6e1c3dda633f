// Dialogs. A dialog returns the focus when it closes, and its content is mounted again each time it opens.
import { Modal, type ModalProps, Text } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { useAnnounce } from './announcements.tsx'
import { TextField } from './fields.tsx'
import { Form } from './form.tsx'
import { useForm } from './use-form.ts'

export function Dialog(props: ModalProps) {
  // A click outside must not discard what was typed, or what is shown only once.
  return (
    <Modal closeOnClickOutside={false} closeButtonProps={{ 'aria-label': 'Close' }} {...props} />
  )
}

export interface OpenedDialog {
  title: string
  size?: 'lg'
  content: (close: () => void) => ReactNode
}

const Context = createContext<(dialog: OpenedDialog) => void>(() => {})
const KeepOpen = createContext<(isKept: boolean) => void>(() => {})

/** While `isKept`, only a button of its content closes the dialog, not Escape. */
export function useKeptOpen(isKept: boolean): void {
  const keep = useContext(KeepOpen)
  useEffect(() => {
    keep(isKept)
    return () => keep(false)
  }, [keep, isKept])
}

/** Returns the function that opens a dialog above the current page, in place of any other. */
export const useDialog = () => useContext(Context)

/** Shows the dialog that a page has opened. It closes when another page is opened. */
export function Dialogs({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const [shown, setShown] = useState<OpenedDialog & { id: number; page: string | undefined }>()
  const open = useCallback(
    (dialog: OpenedDialog) =>
      setShown((before) => ({ ...dialog, id: (before?.id ?? 0) + 1, page: pathname })),
    [pathname],
  )
  const close = (): void => setShown((before) => before && { ...before, page: undefined })
  const [isKept, keep] = useState(false)
  // Otherwise the way back to the page would open it again.
  if (shown?.page !== undefined && shown.page !== pathname) close()
  return (
    <Context value={open}>
      {children}
      <Dialog
        opened={shown?.page !== undefined}
        onClose={close}
        closeOnEscape={!isKept}
        withCloseButton={!isKept}
        title={shown?.title}
        size={shown?.size ?? 'md'}
      >
        <KeepOpen value={keep}>
          <div key={shown?.id}>{shown?.content(close)}</div>
        </KeepOpen>
      </Dialog>
    </Context>
  )
}

export interface Confirmation {
  title: string
  text: ReactNode
  /** On the button: `Remove`, `Delete project`. */
  verb: string
  /** Must be typed first, where much would be lost. */
  name?: string
  isDestructive?: boolean
  /** The dialog closes when it resolves, and shows the error when it rejects. */
  act: () => Promise<unknown>
  done?: string
}

/** Returns a function that asks before an action that cannot be undone. */
export function useConfirm() {
  const open = useDialog()
  return (confirmation: Confirmation): void =>
    open({
      title: confirmation.title,
      content: (close) => <ConfirmForm close={close} {...confirmation} />,
    })
}

function ConfirmForm({
  act,
  close,
  done,
  isDestructive = true,
  name,
  text,
  verb,
}: Confirmation & { close: () => void }) {
  const announce = useAnnounce()
  const [typed, setTyped] = useState('')
  const { form } = useForm({
    initial: {},
    async send() {
      await act()
      close()
      if (done !== undefined) announce(done)
    },
  })
  return (
    <Form
      {...form}
      verb={verb}
      close={close}
      isDestructive={isDestructive}
      isDisabled={name !== undefined && typed.trim() !== name}
    >
      <Text component="div">{text}</Text>
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
