// The actions of a record, in a menu behind three dots.
import { ActionIcon, Menu } from '@mantine/core'
import { Fragment } from 'react'
import { type Confirmation, type OpenedDialog, useConfirm, useDialog } from './dialog.tsx'
import { MoreIcon } from './icons.tsx'

/** Opens a dialog, acts immediately, downloads a file, or asks for a confirmation below a divider. */
type RowAction =
  | 'divider'
  | false
  | ({ isDisabled?: boolean; isDestructive?: boolean } & (
      | ({ item: string } & OpenedDialog)
      | { item: string; act: () => void }
      | { item: string; href: string; download: string }
      | Confirmation
    ))

/** `label` names the record for screen readers: `More for Rex`. */
export function RowMenu({ actions, label }: { actions: RowAction[]; label: string }) {
  const open = useDialog()
  const confirm = useConfirm()
  const first = actions.find(
    (action) => action !== 'divider' && action !== false && !action.isDisabled,
  )
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} data-menu>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action, i) => {
          // biome-ignore lint/suspicious/noArrayIndexKey: dividers keep their places
          if (action === 'divider') return <Menu.Divider key={i} />
          if (action === false) return null
          const disabled = action.isDisabled ?? false
          // The menu would give the focus to an item that is disabled, which cannot have it.
          const focus = action === first ? { 'data-autofocus': true } : {}
          if ('verb' in action) {
            return (
              <Fragment key={action.verb}>
                <Menu.Divider />
                <Menu.Item
                  color="red"
                  disabled={disabled}
                  onClick={() => confirm(action)}
                  {...focus}
                >
                  {action.verb}
                </Menu.Item>
              </Fragment>
            )
          }
          const { isDestructive, item } = action
          const color = isDestructive ? { color: 'red' } : {}
          if ('href' in action) {
            return (
              <Menu.Item
                key={item}
                component="a"
                href={action.href}
                download={action.download}
                {...focus}
              >
                {item}
              </Menu.Item>
            )
          }
          const click = (): void => ('act' in action ? action.act() : open(action))
          return (
            <Menu.Item key={item} {...color} disabled={disabled} onClick={click} {...focus}>
              {item}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
