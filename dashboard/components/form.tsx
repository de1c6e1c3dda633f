// A form: the first field with a problem gets the focus, what was typed stays, and a form that is being sent
// is not sent again.
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface FormProps {
  /** On the button. */
  verb: string
  /** On the button while the form is being sent. */
  busyVerb?: string
  submit: () => void
  isPending: boolean
  /** A problem that belongs to no field. */
  problem?: string | undefined
  /** Adds a Cancel button. */
  close?: () => void
  /** Beside the button. */
  aside?: ReactNode
  isDisabled?: boolean
  /** It deletes something. */
  isDestructive?: boolean
  /** The id of the form's heading. */
  labelledBy?: string
  children: ReactNode
}

export function Form(props: FormProps) {
  const { aside, busyVerb, children, close, isDisabled, isPending, problem, submit, verb } = props
  const form = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  // Problems are known at once, or when the server has answered.
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
      aria-labelledby={props.labelledBy}
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
          {/* It keeps the focus while the form is being sent, so it is not disabled then. */}
          <Button
            type="submit"
            disabled={isDisabled ?? false}
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
