// The actions of a record, in a menu behind three dots.
import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { MoreIcon } from './icons.tsx'

/** `of` names the record for screen readers: `Rex`. */
export function RowMenu({ children, of }: { children: ReactNode; of: string }) {
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`More for ${of}`} data-menu>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
