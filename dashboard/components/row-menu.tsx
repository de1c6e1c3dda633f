// The actions of a record, in a menu behind three dots.
import { ActionIcon, Menu } from '@mantine/core'
import { Fragment } from 'react'
import { type Confirmation, type OpenedDialog, useConfirm, useDialog } from './dialog.tsx'
import { MoreIcon } from './icons.tsx'

/** Opens a dialog, acts immediately, or asks for a confirmation first. */
export type RowAction = { isDisabled?: boolean } & (
  | ({ item: string } & OpenedDialog)
  | { item: string; act: () => void }
  | Confirmation
)

/** `of` names the record for screen readers: `Rex`. */
export function RowMenu({ actions, of }: { actions: RowAction[]; of: string }) {
  const open = useDialog()
  const confirm = useConfirm()
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`More for ${of}`} data-menu>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => {
          const disabled = action.isDisabled ?? false
          return 'verb' in action ? (
            <Fragment key={action.verb}>
              <Menu.Divider />
              <Menu.Item color="red" disabled={disabled} onClick={() => confirm(action)}>
                {action.verb}
              </Menu.Item>
            </Fragment>
          ) : (
            <Menu.Item
              key={action.item}
              disabled={disabled}
              onClick={() => ('act' in action ? action.act() : open(action))}
            >
              {action.item}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
