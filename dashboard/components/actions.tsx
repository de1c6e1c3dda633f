// Buttons and menus that act on a record: at once, after a confirmation, or with a form in a dialog; the dialogs, and the
// notices in the corner. A dialog returns the focus when it closes, and its content is mounted again each time it opens.
// One that shows a secret stays open until it is copied.
import {
  ActionIcon,
  Alert,
  Button,
  type ButtonProps,
  CloseButton,
  Code,
  Group,
  Menu,
  Modal,
  type ModalProps,
  Paper,
  Stack,
  Text,
} from '@mantine/core'
import {
  Fragment,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useLocation } from 'react-router'
import { attempt, dismiss, useAnnouncements } from '../platform/announcements.ts'
import { createShared } from '../platform/shared-value.ts'
import { copiedLabels, useCopy } from './copy.tsx'
import { CurrentPasswordField, DialogContext, Form, TextField, useForm } from './form.tsx'
import { CheckIcon, ChevronIcon, CopyIcon, MoreIcon, PlusIcon } from './icons.tsx'

interface Labelled extends ButtonProps {
  /** For screen readers, if the text does not name the record. */
  label?: string
}

/** Acts, then announces `done`, or why it failed. */
export function ActionButton<Result>({
  act,
  done,
  label,
  ...button
}: Labelled & { act: () => Promise<Result>; done?: string | ((result: Result) => string) }) {
  const [isPending, setPending] = useState(false)
  const click = (): void => {
    setPending(true)
    const acting = act().finally(() => setPending(false))
    attempt(acting, done)
  }
  return (
    <Button size="compact-sm" loading={isPending} aria-label={label} onClick={click} {...button} />
  )
}

/** Asks first. Its text is the verb, unless it has another one. */
export function ConfirmButton({
  children,
  color,
  disabled = false,
  label,
  size = 'compact-sm',
  variant = 'default',
  ...confirmation
}: Confirmation &
  Pick<Labelled, 'children' | 'color' | 'disabled' | 'label' | 'size' | 'variant'>) {
  return (
    <Button
      size={size}
      variant={variant}
      {...(color && { color })}
      disabled={disabled}
      aria-label={label}
      onClick={() => confirm(confirmation)}
    >
      {children ?? confirmation.verb}
    </Button>
  )
}

interface DialogButtonProps extends OpenedDialog, Pick<ButtonProps, 'leftSection'> {
  label?: string
  /** In the headline of a section. */
  isSmall?: boolean
  /** Pressed by the key n, too. */
  hasKey?: boolean
}

/** Opens a dialog. */
export function DialogButton({
  hasKey = false,
  isSmall = false,
  label,
  leftSection,
  ...dialog
}: DialogButtonProps & { variant?: 'default' | 'filled' }) {
  const { variant = isSmall ? 'default' : 'filled', ...opened } = dialog
  return (
    <Button
      variant={variant}
      size={isSmall ? 'compact-sm' : 'sm'}
      leftSection={leftSection}
      onClick={() => openDialog(opened)}
      data-shortcut={hasKey ? 'new' : undefined}
    >
      {label ?? dialog.title}
    </Button>
  )
}

/** Opens the form for a new record. */
export function AddButton(props: DialogButtonProps) {
  return (
    <DialogButton hasKey leftSection={<PlusIcon size={props.isSmall ? 16 : 18} />} {...props} />
  )
}

/** Opens a dialog, acts immediately, or asks for a confirmation; below a divider if it destroys. */
type RowAction =
  | false
  | ({ isDisabled?: boolean; isDestructive?: boolean } & (
      | ({ item: string } & OpenedDialog)
      | { item: string; act: () => void }
      | Confirmation
    ))

/** `label` names the record for screen readers: `More for Rex`. */
export function RowMenu({ actions, label }: { actions: RowAction[]; label: string }) {
  const shown = actions.filter((action) => action !== false)
  const first = shown.find((action) => !action.isDisabled)
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} data-menu>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {shown.map((action) => {
          const isConfirmed = 'verb' in action
          const item = isConfirmed ? action.verb : action.item
          const click = (): void => {
            if (isConfirmed) confirm(action)
            else if ('act' in action) action.act()
            else openDialog(action)
          }
          const { isDestructive = isConfirmed, isDisabled = false } = action
          return (
            <Fragment key={item}>
              {(isConfirmed || isDestructive) && <Menu.Divider />}
              <Menu.Item
                {...(isDestructive && { color: 'red' })}
                disabled={isDisabled}
                onClick={click}
                // The menu would give the focus to an item that is disabled, which cannot have it.
                {...(action === first && { 'data-autofocus': true })}
              >
                {item}
              </Menu.Item>
            </Fragment>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}

/** A menu behind a button with words. */
export function MenuButton({
  children,
  title,
  ...button
}: ButtonProps & { title: string; children: ReactNode }) {
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <Button rightSection={<ChevronIcon size={16} />} {...button}>
          {title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Items of a menu that download a list in one of the forms. */
export function downloads<Form extends string>(
  forms: readonly Form[],
  addressOf: (form: Form) => string,
) {
  return forms.map((form) => (
    <Menu.Item key={form} component="a" href={addressOf(form)} download>
      {form.toUpperCase()}
    </Menu.Item>
  ))
}

export function Dialog({
  children,
  keep = () => {},
  ...modal
}: ModalProps & { keep?: (isKept: boolean) => void }) {
  // A click outside must not discard what was typed, or what is shown only once.
  return (
    <Modal closeOnClickOutside={false} closeButtonProps={{ 'aria-label': 'Close' }} {...modal}>
      <DialogContext value={{ close: modal.onClose, keep }}>{children}</DialogContext>
    </Modal>
  )
}

export interface OpenedDialog {
  title: string
  size?: 'lg'
  content: ReactNode
}

/** While `isKept`, only a button of its content closes the dialog, not Escape. */
export function useKeptOpen(isKept: boolean): void {
  const keep = useContext(DialogContext)?.keep
  useEffect(() => {
    keep?.(isKept)
    return () => keep?.(false)
  }, [keep, isKept])
}

const opened = createShared<(OpenedDialog & { id: number; page: string | undefined }) | undefined>(
  undefined,
)

/** Opens a dialog above the current page, in place of any other. */
export const openDialog = (dialog: OpenedDialog): void =>
  opened.set({ ...dialog, id: (opened.get()?.id ?? 0) + 1, page: location.pathname })

/** Shows the dialog that a page has opened. It closes when another page is opened. */
export function Dialogs() {
  const { pathname } = useLocation()
  const shown = opened.useValue()
  const [isKept, keep] = useState(false)
  // Not one that has taken its place.
  const close = useCallback(() => {
    const dialog = opened.get()
    if (dialog && dialog.id === shown?.id) opened.set({ ...dialog, page: undefined })
  }, [shown?.id])
  const isLeft = shown?.page !== undefined && shown.page !== pathname
  // Otherwise the way back to the page would open it again.
  useEffect(() => {
    if (isLeft) close()
  }, [close, isLeft])
  return (
    <Dialog
      opened={shown?.page !== undefined && !isLeft}
      onClose={close}
      keep={keep}
      closeOnEscape={!isKept}
      withCloseButton={!isKept}
      title={shown?.title}
      size={shown?.size ?? 'md'}
    >
      <div key={shown?.id}>{shown?.content}</div>
    </Dialog>
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
  /** What to announce when the dialog closes. Without it, the dialog stays open. */
  done?: string
}

export interface Confirmation extends ConfirmFormProps {
  title: string
}

/** Asks before an action that cannot be undone. The dialog closes when `act` resolves. */
export const confirm = ({ title, ...confirmation }: Confirmation): void =>
  openDialog({ title, content: <ConfirmForm done="" isDestructive {...confirmation} /> })

export function ConfirmForm({
  act,
  asksPassword = false,
  done,
  isDestructive = false,
  name,
  text,
  ...buttons
}: ConfirmFormProps) {
  const { field, form, values } = useForm({
    initial: { typed: '', currentPassword: '' },
    send: ({ currentPassword }) => act(currentPassword),
    done: done === undefined ? undefined : () => done,
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
        <TextField {...field('typed', `Type ${name} to confirm`)} spellCheck={false} />
      )}
      {asksPassword && <CurrentPasswordField {...field('currentPassword')} />}
    </Form>
  )
}

interface ShownOnceProps {
  /** What it is: `API key`, `link`. */
  what: string
  secret: string
  children?: ReactNode
}

/** A secret that is shown once. The dialog stays open until it is copied. */
export function ShownOnce({ children, secret, what }: ShownOnceProps) {
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
        variant="filled"
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
        <CloseDialog>Done</CloseDialog>
      </Group>
    </Stack>
  )
}

/** Closes the dialog that it is in. */
export function CloseDialog(button: ButtonProps & { children: string }) {
  const { close } = useContext(DialogContext) ?? {}
  return <Button {...(close && { onClick: close })} {...button} />
}

/** Short notices, which screen readers announce. */
export function Announcements() {
  return (
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
      {useAnnouncements().map(({ id, isFailure, text, undo }) => (
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
                    attempt(undo())
                    dismiss(id)
                  }}
                >
                  Undo
                </Button>
              )}
              <CloseButton size="md" aria-label="Dismiss" onClick={() => dismiss(id)} />
            </Group>
          </Group>
        </Paper>
      ))}
    </Stack>
  )
}
