// A form. The first field with a problem gets the focus. A form that is being sent is not sent again. A form of settings
// says what has changed, in a bar that stays in view.
import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import classes from './form.module.css'
import { useUnsavedChanges } from './unsaved-changes.ts'

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
  /** The labels of fields that differ from what is saved; only for forms of settings. */
  changes?: string[] | undefined
  discard?: () => void
  children: ReactNode
}

export function Form(props: FormProps) {
  const { aside, busyVerb, changes, children, close, isPending, problem, submit, verb } = props
  const isDisabled = props.isDisabled ?? changes?.length === 0
  const form = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  const isUnsaved = changes !== undefined && changes.length > 0
  useUnsavedChanges(isUnsaved && !isPending)
  // The bar that has appeared may cover the field that is typed in.
  useEffect(() => {
    const focused = form.current?.querySelector(':focus')
    if (isUnsaved) focused?.scrollIntoView({ block: 'nearest' })
  }, [isUnsaved])
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
        <Group
          justify={aside && !close && !changes ? 'space-between' : 'flex-end'}
          gap={changes ? 'xs' : 'md'}
          className={classes.bar ?? ''}
          data-unsaved={isUnsaved}
        >
          {aside}
          {changes && (
            <Text size="sm" role="status" className={classes.changes ?? ''}>
              {isUnsaved && `Not saved: ${changes.join(', ')}`}
            </Text>
          )}
          {isUnsaved && (
            <Button variant="default" onClick={props.discard}>
              Discard
            </Button>
          )}
          {close && (
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          )}
          {/* Not disabled while the form is being sent: it would lose the focus. */}
          <Button
            type="submit"
            disabled={isDisabled}
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
