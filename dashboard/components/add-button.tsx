// The button that opens the form for a new record, also with the key n.
import { Button } from '@mantine/core'
import { type OpenedDialog, useDialog } from './dialog.tsx'
import { PlusIcon } from './icons.tsx'

interface AddButtonProps extends OpenedDialog {
  label?: string
  /** In the headline of a section. */
  isSmall?: boolean
  hasKey?: boolean
}

export function AddButton({ hasKey = true, isSmall = false, label, ...dialog }: AddButtonProps) {
  const open = useDialog()
  return (
    <Button
      {...(isSmall && { size: 'compact-sm', variant: 'default' })}
      leftSection={<PlusIcon {...(isSmall && { size: 16 })} />}
      onClick={() => open(dialog)}
      data-shortcut={hasKey ? 'new' : undefined}
    >
      {label ?? dialog.title}
    </Button>
  )
}
