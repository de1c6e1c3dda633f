// Fields of forms. A problem replaces the description, so that screen readers read one of the two.
import {
  NativeSelect,
  type NativeSelectProps,
  PasswordInput,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { maxPasswordLength, minPasswordLength } from '../../client/limits.ts'
import classes from './fields.module.css'

export interface TextFieldProps
  extends Omit<TextInputProps, 'error' | 'onChange' | 'value' | 'description'> {
  label: string
  description?: string | undefined
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

export function TextField({ description, error, onChange, ...field }: TextFieldProps) {
  return (
    <TextInput
      autoComplete="off"
      dir="auto"
      {...field}
      description={error === undefined ? description : undefined}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** A text of several lines, which grows with it. Each line of a problem is shown as one. */
export function TextAreaField({
  description,
  error,
  onChange,
  ...field
}: Omit<TextareaProps, 'error' | 'onChange' | 'value' | 'description'> &
  Pick<TextFieldProps, 'description' | 'error' | 'label' | 'onChange' | 'value'>) {
  return (
    <Textarea
      autosize
      maxRows={20}
      autoComplete="off"
      dir="auto"
      {...field}
      description={error === undefined ? description : undefined}
      error={error}
      classNames={{ input: classes.lines ?? '', error: classes.problem ?? '' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function EmailField(props: Omit<TextFieldProps, 'label'>) {
  return (
    <TextField
      label="Email"
      autoComplete="username"
      inputMode="email"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
    />
  )
}

export const checkName =
  (maxLength: number) =>
  (name: string): string | undefined => {
    if (name.trim() === '') return 'Enter a name.'
    return [...name].length > maxLength ? `Use at most ${maxLength} characters.` : undefined
  }

/** The server decides what an email address is. */
export function checkEmail(text: string): string | undefined {
  if (text.trim() === '') return 'Enter your email address.'
  return /.@./.test(text) ? undefined : 'Enter an email address such as rosa@example.com.'
}

interface PasswordFieldProps
  extends Pick<TextFieldProps, 'description' | 'error' | 'label' | 'onChange' | 'value'> {
  name: string
  autoComplete: 'current-password' | 'new-password'
  'data-autofocus'?: boolean
}

/** The password can be shown, also by keyboard, and is hidden again when the form is sent. */
export function PasswordField({ description, error, onChange, ...field }: PasswordFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    const hide = (): void => setVisible(false)
    const form = input.current?.form
    form?.addEventListener('submit', hide)
    return () => form?.removeEventListener('submit', hide)
  }, [])
  return (
    <PasswordInput
      {...field}
      ref={input}
      description={error === undefined ? description : undefined}
      error={error}
      aria-invalid={error !== undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        'aria-label': `${isVisible ? 'Hide' : 'Show'} ${field.label.toLowerCase()}`,
      }}
    />
  )
}

/** Confirms a change; with `checkPassword` and `wrongPassword`. */
export function CurrentPasswordField(props: Omit<PasswordFieldProps, 'autoComplete' | 'label'>) {
  return <PasswordField {...props} label="Current password" autoComplete="current-password" />
}

export const checkPassword = (password: string): string | undefined =>
  password === '' ? 'Enter your password.' : undefined

export const wrongPassword = {
  invalid_credentials: { field: 'currentPassword', message: 'Incorrect password.' },
} as const

/** A new password. Its characters are counted as on the server. */
export function NewPasswordField(props: Omit<PasswordFieldProps, 'autoComplete'>) {
  const length = lengthOf(props.value)
  const progress =
    length < minPasswordLength
      ? `${length} of at least ${minPasswordLength} characters.`
      : `${length} characters: long enough.`
  return (
    <PasswordField
      {...props}
      autoComplete="new-password"
      description={
        length === 0
          ? `At least ${minPasswordLength} characters. Several words work well.`
          : progress
      }
    />
  )
}

export function checkNewPassword(password: string): string | undefined {
  const length = lengthOf(password)
  if (length === 0) return 'Enter a password.'
  if (length < minPasswordLength) return `Use at least ${minPasswordLength} characters.`
  return length > maxPasswordLength ? `Use at most ${maxPasswordLength} characters.` : undefined
}

const lengthOf = (text: string): number => [...text.normalize('NFC')].length

/** A choice of one value. */
export function SelectField<Value extends string>({
  onChange,
  ...field
}: Omit<NativeSelectProps, 'onChange' | 'value'> & {
  value: Value
  onChange: (value: Value) => void
}) {
  return (
    <NativeSelect {...field} onChange={(event) => onChange(event.currentTarget.value as Value)} />
  )
}
