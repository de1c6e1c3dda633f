// A password: it can be looked at, also by keyboard, and a wrong one is marked as such for screen readers.
import { PasswordInput } from '@mantine/core'

export interface PasswordFieldProps {
  label: string
  description?: string
  value: string
  onChange: (value: string) => void
  error: string | undefined
  autoComplete: 'current-password' | 'new-password'
}

export function PasswordField({ error, label, onChange, ...field }: PasswordFieldProps) {
  return (
    <PasswordInput
      {...field}
      label={label}
      error={error}
      aria-invalid={error !== undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `Show what stands in ${label}` }}
    />
  )
}
