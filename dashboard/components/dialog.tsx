// Dialogs. A dialog returns the focus when it closes, and its content is mounted again each time it opens. One that shows a
// secret stays open until it is copied.
import { Alert, Button, Code, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useLocation } from 'react-router'
import { useAnnounce } from './announcements.tsx'
import { copiedLabels, useCopy } from './copy.tsx'
import { CurrentPasswordField, Form, TextField, useForm } from './form.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

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
  // Not one that has taken its place.
  const close = (): void =>
    setShown((now) => (now && now.id === shown?.id ? { ...now, page: undefined } : now))
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

interface ConfirmFormProps extends Pick<Parameters<typeof Form>[0], 'busyVerb'> {
  text: ReactNode
  /** On the button: `Remove`, `Delete project`. */
  verb: string
  /** Must be typed first, where much would be lost. */
  name?: string
  /** Asks for the password of the account. */
  asksPassword?: boolean
  isDestructive?: boolean
  /** The dialog shows the error when it rejects. */
  act: (currentPassword: string) => Promise<unknown>
  /** What errors of `act` mean, by their code. */
  codes?: Record<string, { message: string }>
}

export interface Confirmation extends ConfirmFormProps {
  title: string
  done?: string
}

/** Returns a function that asks before an action that cannot be undone. The dialog closes when `act` resolves. */
export function useConfirm() {
  const open = useDialog()
  const announce = useAnnounce()
  return ({ act, done, title, ...confirmation }: Confirmation): void =>
    open({
      title,
      content: (close) => (
        <ConfirmForm
          close={close}
          {...confirmation}
          act={async (currentPassword) => {
            await act(currentPassword)
            close()
            if (done !== undefined) announce(done)
          }}
        />
      ),
    })
}

export function ConfirmForm({
  act,
  asksPassword = false,
  codes = {},
  isDestructive = true,
  name,
  text,
  ...buttons
}: ConfirmFormProps & { close: () => void }) {
  const { field, form, values } = useForm({
    initial: { typed: '', currentPassword: '' },
    codes,
    send: ({ currentPassword }) => act(currentPassword),
  })
  return (
    <Form
      {...form}
      {...buttons}
      isDestructive={isDestructive}
      isDisabled={name !== undefined && values.typed.trim() !== name}
    >
      <Text component="div">{text}</Text>
      {name !== undefined && (
        <TextField
          {...field('typed')}
          label={`Type ${name} to confirm`}
          spellCheck={false}
          data-autofocus
        />
      )}
      {asksPassword && <CurrentPasswordField {...field('currentPassword')} data-autofocus />}
    </Form>
  )
}

interface ShownOnceProps {
  /** What it is: `API key`, `link`. */
  what: string
  secret: string
  close: () => void
  children?: ReactNode
}

/** A secret that is shown once. The dialog stays open until it is copied. */
export function ShownOnce({ children, close, secret, what }: ShownOnceProps) {
  const source = useRef<HTMLElement>(null)
  const [copied, copy] = useCopy(secret, source)
  const [wasCopied, setCopied] = useState(false)
  useKeptOpen(!wasCopied)
  return (
    <Stack>
      <Alert color="leaf" role="status" title={`Copy the ${what} now`}>
        {what.endsWith('s') ? 'They are' : 'It is'} shown only once and cannot be looked up later.
      </Alert>
      <Code
        block
        style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
        aria-label={what}
        data-secret
        ref={source}
        onCopy={() => setCopied(true)}
      >
        {secret}
      </Code>
      <Button
        onClick={() => {
          copy()
          setCopied(true)
        }}
        leftSection={copied === 'copied' ? <CheckIcon /> : <CopyIcon />}
        data-autofocus
      >
        {copiedLabels[copied] || `Copy the ${what}`}
      </Button>
      {typeof children === 'string' ? <Text>{children}</Text> : children}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
