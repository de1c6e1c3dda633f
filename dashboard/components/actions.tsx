// Buttons and menus that act on a record: at once, after a confirmation, or with a form in a dialog.
import { ActionIcon, Button, type ButtonProps, Menu } from '@mantine/core'
import { Fragment, type ReactNode, useState } from 'react'
import { attempt } from '../platform/announcements.ts'
import { type Confirmation, confirm, type OpenedDialog, openDialog } from './dialog.tsx'
import { ChevronIcon, MoreIcon, PlusIcon } from './icons.tsx'

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
    attempt(acting, typeof done === 'string' ? () => done : done)
  }
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isPending}
      aria-label={label}
      onClick={click}
      {...button}
    />
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

/** Opens a dialog, acts immediately, downloads a file, or asks for a confirmation; below a divider if it destroys. */
type RowAction =
  | false
  | ({ isDisabled?: boolean; isDestructive?: boolean } & (
      | ({ item: string } & OpenedDialog)
      | { item: string; act: () => void }
      | { item: string; href: string; download: string }
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
            else if ('content' in action) openDialog(action)
          }
          const { isDestructive = isConfirmed, isDisabled = false } = action
          return (
            <Fragment key={item}>
              {(isConfirmed || isDestructive) && <Menu.Divider />}
              <Menu.Item
                {...(isDestructive && { color: 'red' })}
                disabled={isDisabled}
                onClick={click}
                {...('href' in action && {
                  component: 'a',
                  href: action.href,
                  download: action.download,
                })}
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
        <Button variant="default" rightSection={<ChevronIcon size={16} />} {...button}>
          {title}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

/** Items of a menu that download a list in one of the forms. */
export function Downloads<Form extends string>({
  addressOf,
  forms,
}: {
  forms: readonly Form[]
  addressOf: (form: Form) => string
}) {
  return forms.map((form) => (
    <Menu.Item key={form} component="a" href={addressOf(form)} download>
      {form.toUpperCase()}
    </Menu.Item>
  ))
}
