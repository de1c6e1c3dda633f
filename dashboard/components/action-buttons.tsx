// Small buttons that act on a record: at once, or after a confirmation.
import { Button, type ButtonProps } from '@mantine/core'
import { useState } from 'react'
import { useAttempt } from './announcements.tsx'
import { type Confirmation, useConfirm } from './dialog.tsx'

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
  const attempt = useAttempt()
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

/** Asks first. */
export function ConfirmButton({
  confirmation,
  label,
  ...button
}: Labelled & { confirmation: Confirmation }) {
  const confirm = useConfirm()
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={label}
      onClick={() => confirm(confirmation)}
      {...button}
    >
      {button.children ?? confirmation.verb}
    </Button>
  )
}
