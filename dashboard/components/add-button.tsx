// The button that opens the form for a new record, also with the key n.
import { Button } from '@mantine/core'
import { type OpenedDialog, useDialog } from './dialog.tsx'
import { PlusIcon } from './icons.tsx'

export function AddButton({ label, ...dialog }: { label?: string } & OpenedDialog) {
  const open = useDialog()
  return (
    <Button leftSection={<PlusIcon />} onClick={() => open(dialog)} data-shortcut="new">
      {label ?? dialog.title}
    </Button>
  )
}
