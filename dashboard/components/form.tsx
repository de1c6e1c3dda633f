// A form. The first field with a problem gets the focus. A form that is being sent is not sent again.
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'

interface FormProps {
  verb: string
  busyVerb?: string
  submit: () => void
  isPending: boolean
  /** A problem that belongs to no field. */
  problem?: string | undefined
  /** Adds a Cancel button. */
  close?: () => void
  aside?: ReactNode
  isDisabled?: boolean
  isDestructive?: boolean
  /** Its button is as wide as the fields. */
  isWide?: boolean
  /** For screen readers. */
  label?: string
  children: ReactNode
}

export function Form(props: FormProps) {
  const { aside, busyVerb, children, close, isDisabled, isPending, problem, submit, verb } = props
  const form = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  useEffect(() => {
    if (attempts === 0 || isPending) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, isPending])
  return (
    <form
      ref={form}
      method="post"
      noValidate
      aria-busy={isPending}
      aria-label={props.label}
      onSubmit={(event) => {
        event.preventDefault()
        if (isPending) return
        submit()
        setAttempts((count) => count + 1)
      }}
    >
      <Stack>
        {children}
        {problem && (
          <Text c="red" role="alert">
            {problem}
          </Text>
        )}
        <Group justify={close ? 'flex-end' : aside ? 'space-between' : 'flex-start'}>
          {aside}
          {close && (
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          )}
          {/* Not disabled while the form is being sent: it would lose the focus. */}
          <Button
            type="submit"
            disabled={isDisabled ?? false}
            fullWidth={props.isWide ?? false}
            {...(props.isDestructive ? { color: 'red' } : {})}
            aria-disabled={isPending || undefined}
            leftSection={isPending && <Loader size={16} color="currentColor" />}
          >
            {isPending ? (busyVerb ?? verb) : verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
