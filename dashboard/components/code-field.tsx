// The field for a one-time code, or a recovery code where the account has those.
import { TextField, type TextFieldProps } from './fields.tsx'

export function CodeField(props: Omit<TextFieldProps, 'label'>) {
  return (
    <TextField
      label="Code"
      description="From your authenticator app, or a recovery code."
      autoComplete="one-time-code"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
    />
  )
}

export const checkCode = (code: string): string | undefined =>
  code.trim() === '' ? 'Enter a code.' : undefined
