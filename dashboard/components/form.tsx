// Forms and their fields. The first field with a problem gets the focus. A form that is being sent is not sent again. A form
// of settings says what has changed, in a bar that stays in view; nothing leaves the page without asking while there are
// such changes.
import {
  Button,
  Group,
  Loader,
  NativeSelect,
  type NativeSelectProps,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import {
  type ChangeEvent,
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { ManagementError } from '../../client/management-client.ts'
import { maxPasswordLength, minPasswordLength } from '../../client/values/limits.ts'
import { announce } from '../platform/announcements.ts'
import { explain } from '../platform/api.ts'
import { sentenceOf } from '../platform/formats.ts'

/** The dialog that a form is in, if it is in one. */
export const DialogContext = createContext<
  { close: () => void; keep: (isKept: boolean) => void } | undefined
>(undefined)

interface FormProps {
  verb: string
  busyVerb?: string
  submit: () => void
  isPending: boolean
  /** A problem that belongs to no field. */
  problem?: string | undefined
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

/** In a dialog, it has a Cancel button. */
export function Form(props: FormProps) {
  const { aside, busyVerb, changes, children, isPending, problem, submit, verb } = props
  const close = useContext(DialogContext)?.close
  const isDisabled = props.isDisabled ?? changes?.length === 0
  const form = useRef<HTMLFormElement>(null)
  const [attempts, setAttempts] = useState(0)
  const isUnsaved = changes !== undefined && changes.length > 0
  const isGuarded = isUnsaved && !isPending
  // The browser asks in its own words.
  useEffect(() => {
    if (!isGuarded) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isGuarded])
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
        <Problem text={problem} />
        <Group
          justify={aside && !close && !changes ? 'space-between' : 'flex-end'}
          gap={changes ? 'xs' : 'md'}
          {...(isUnsaved && { style: bar })}
          data-unsaved={isGuarded}
        >
          {aside}
          {changes && (
            <Text
              size="sm"
              c="light-dark(#5c3c00, #ffd76a)"
              fw={550}
              flex={{ base: isUnsaved ? '1 1 100%' : '1 1 12rem', xs: '1 1 12rem' }}
              miw={0}
              role="status"
            >
              {isUnsaved && `Not saved: ${changes.join(', ')}`}
            </Text>
          )}
          {isUnsaved && <Button onClick={props.discard}>Discard</Button>}
          {close && <Button onClick={close}>Cancel</Button>}
          {/* Not disabled while the form is being sent: it would lose the focus. */}
          <Button
            type="submit"
            variant="filled"
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

/** Stays in view while there are changes. Its frame takes no space: nothing moves when it appears. */
const bar = {
  position: 'sticky',
  zIndex: 3,
  bottom: '1rem',
  borderRadius: 'var(--mantine-radius-md)',
  background: 'var(--surface)',
  boxShadow:
    '0 0 0 0.5rem var(--surface), 0 0 0 calc(0.5rem + 1px) light-dark(#e0b13a, #8a6d1c), 0 0.75rem 1.5rem 0.25rem rgb(0 0 0 / 0.12)',
} as const

/** What is wrong, announced at once; nothing without it. */
export function Problem({ text }: { text: string | undefined }) {
  if (!text) return null
  return (
    <Text c="red" role="alert">
      {text}
    </Text>
  )
}

interface FormOptions<Values extends object, Result> {
  initial: Values
  /** The problem of a value that cannot be sent. */
  checks?: {
    [Name in keyof Values]?: (value: NoInfer<Values>[Name]) => string | undefined
  }
  /** May throw a ManagementError. */
  send: (values: NoInfer<Values>) => Promise<Result>
  /**
   * Returns what to announce once it is sent, if anything. The dialog that the form is in closes, unless it is false or
   * there is no such function.
   */
  done?: ((result: NoInfer<Result>) => string | false | undefined) | undefined
  /**
   * Of fields whose changes are shown until they are saved: only texts. `initial` is then what is saved, and what others
   * save meanwhile appears in fields without changes.
   */
  labels?: { [Name in keyof Values]?: string }
  /** Errors without details, by their code: the field that they belong to, and what they mean here. */
  codes?: Record<string, { field?: keyof NoInfer<Values> & string; message?: string }>
}

/** Fields with these names are checked wherever they are shown. */
const usualChecks: Record<string, (value: string) => string | undefined> = {
  code: (code) => (code.trim() === '' ? 'Enter a code.' : undefined),
  currentPassword: checkPassword,
  email: checkEmail,
  newPassword: checkNewPassword,
  password: checkNewPassword,
}

const usualCodes: Record<string, { field: string; message?: string }> = {
  email_taken: { field: 'email' },
  invalid_code: { field: 'code', message: 'Incorrect code, or it was already used.' },
  invalid_credentials: { field: 'currentPassword', message: 'Incorrect password.' },
}

interface Field<Name, Value> {
  name: Name
  value: Value
  error: string | undefined
  onChange: (value: Value) => void
}
type Label = { label: string; description: string | undefined }

/** The state of a form: its values, the problems beside the fields, and whether it is being sent. */
export function useForm<Values extends object, Result>(options: FormOptions<Values, Result>) {
  type Name = keyof Values & string
  const { done, initial, labels, send } = options
  const dialog = useContext(DialogContext)
  const shown = new Set<string>()
  const [values, setValues] = useState(initial)
  const [saved, setSaved] = useState(initial)
  const [problems, setProblems] = useState<{ [N in Name]?: string | undefined }>({})
  const [problem, setProblem] = useState<string>()
  const [isPending, setPending] = useState(false)
  const names = Object.keys(initial) as Name[]
  const collect = (find: (name: Name) => string | undefined): boolean => {
    const fields = Object.fromEntries(names.map((name) => [name, find(name)]))
    setProblems(fields as typeof problems)
    return Object.values(fields).some((text) => text !== undefined)
  }

  async function submit(): Promise<void> {
    setProblem(undefined)
    type Checks = FormOptions<Values, Result>['checks'] & object
    const checks = { ...usualChecks, ...options.checks } as Checks
    if (collect((name) => (shown.has(name) ? checks[name]?.(values[name]) : undefined))) return
    setPending(true)
    try {
      const result = await send(values)
      const text = done ? done(result) : false
      if (text === false) return
      dialog?.close()
      if (text) announce(text)
    } catch (error) {
      const { code = '', isOutage = false } = error instanceof ManagementError ? error : {}
      const place = { ...usualCodes, ...options.codes }[code]
      const { at, other } = problemsOf(error, names)
      if (place && !place.field) setProblem(place.message)
      else if (place?.field && shown.has(place.field))
        collect((name) => (name === place.field ? (place.message ?? other) : undefined))
      else if (!collect(at) || other) {
        const hasInput = isOutage && names.some((name) => values[name] !== initial[name])
        setProblem(hasInput ? `${other} What you typed is still here.` : other)
      }
    } finally {
      setPending(false)
    }
  }

  const set = (changes: Partial<Values>): void => setValues((all) => ({ ...all, ...changes }))
  const tracked = names.filter((name) => labels?.[name] !== undefined)
  if (tracked.some((name) => saved[name] !== initial[name])) {
    setSaved(initial)
    const isUnchanged = (name: Name): boolean => values[name] === saved[name]
    set(pick(initial, tracked.filter(isUnchanged)))
  }
  const changed = tracked.filter((name) => values[name] !== initial[name])
  const tracking = labels && {
    changes: changed.map((name) => labels[name] ?? name),
    discard() {
      set(pick(initial, tracked))
      setProblems({})
      setProblem(undefined)
    },
  }

  /** For one of its fields. Typing removes the problem. The first field of a dialog gets the focus. */
  function field<N extends Name>(name: N): Field<N, Values[N]>
  function field<N extends Name>(
    ...labelled: [name: N, label: string, description?: string | undefined]
  ): Field<N, Values[N]> & Label
  function field<N extends Name>(name: N, label?: string, description?: string) {
    shown.add(name)
    return {
      name,
      value: values[name],
      error: problems[name],
      onChange(value: Values[N]) {
        set({ [name]: value } as unknown as Partial<Values>)
        setProblems((all) => ({ ...all, [name]: undefined }))
      },
      ...(label !== undefined && { label, description }),
      ...(dialog && shown.size === 1 && { 'data-autofocus': true }),
    }
  }
  return {
    values,
    set,
    form: { submit: () => void submit(), isPending, problem, ...tracking },
    field,
  }
}

const pick = <Values extends object>(values: Values, names: (keyof Values)[]): Partial<Values> =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Partial<Values>

/** Sorts the details of an error by the fields of a form: those `at` a field or a part of it, and the others. */
export function problemsOf(error: unknown, fields: readonly string[]) {
  const details = error instanceof ManagementError ? error.details : []
  const isOf = (path: string, field: string): boolean =>
    path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)
  const others = details.filter(({ path }) => !fields.some((field) => isOf(path, field)))
  const rest = others.map(({ message }) => message).join(' ')
  return {
    at(field: string): string | undefined {
      const problems = details.filter(({ path }) => isOf(path, field))
      const sentences = problems.map(({ message, path }) => sentenceOf(path, message))
      return sentences.length === 0 ? undefined : sentences.join('\n')
    },
    other: details.length === 0 ? explain(error) : rest || undefined,
  }
}

/** Whether a form on the page has changes that are not saved. */
export const hasUnsavedChanges = (): boolean =>
  document.querySelector('[data-unsaved="true"]') !== null

export interface TextFieldProps
  extends Omit<TextInputProps, 'error' | 'onChange' | 'value' | 'description'> {
  label: string
  description?: string | undefined
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

export function TextField(props: TextFieldProps) {
  return <TextInput autoComplete="off" dir="auto" {...asInput(props)} />
}

/** A problem replaces the description, so that screen readers read one of the two. */
function asInput<Props extends Pick<TextFieldProps, 'description' | 'error' | 'onChange'>>({
  description,
  error,
  onChange,
  ...field
}: Props) {
  return {
    ...field,
    description: error === undefined ? description : undefined,
    error,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onChange(event.currentTarget.value),
  }
}

/** A text of several lines, which grows with it. Each line of a problem is shown as one. */
export function TextAreaField(
  props: Omit<TextareaProps, 'error' | 'onChange' | 'value' | 'description'> &
    Pick<TextFieldProps, 'description' | 'error' | 'label' | 'onChange' | 'value'>,
) {
  return (
    <Textarea
      autosize
      maxRows={20}
      autoComplete="off"
      dir="auto"
      {...asInput(props)}
      styles={{
        input: {
          fontFamily: 'var(--mantine-font-family-monospace)',
          fontSize: 'var(--mantine-font-size-sm)',
        },
        error: { whiteSpace: 'pre-line' },
      }}
    />
  )
}

/** No keyboard changes what is typed. */
const unchanged = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false }

export function EmailField(props: Omit<TextFieldProps, 'label'>) {
  return (
    <TextField label="Email" autoComplete="username" inputMode="email" {...unchanged} {...props} />
  )
}

export const checkName =
  (maxLength: number) =>
  (name: string): string | undefined => {
    if (name.trim() === '') return 'Enter a name.'
    return [...name].length > maxLength ? `Use at most ${maxLength} characters.` : undefined
  }

/** The server decides what an email address is. */
function checkEmail(text: string): string | undefined {
  if (text.trim() === '') return 'Enter your email address.'
  return /.@./.test(text) ? undefined : 'Enter an email address such as rosa@example.com.'
}

interface PasswordFieldProps
  extends Pick<TextFieldProps, 'description' | 'error' | 'label' | 'onChange' | 'value'> {
  name: string
  autoComplete: 'current-password' | 'new-password'
  'data-autofocus'?: boolean
}

/** The password can be shown, also by keyboard, and is hidden again when a form is sent. */
export function PasswordField(props: PasswordFieldProps) {
  const [isVisible, setVisible] = useState(false)
  useWindowEvent('submit', () => setVisible(false))
  return (
    <PasswordInput
      {...asInput(props)}
      aria-invalid={props.error !== undefined}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{
        'aria-label': `${isVisible ? 'Hide' : 'Show'} ${props.label.toLowerCase()}`,
      }}
    />
  )
}

/** Confirms a change. */
export function CurrentPasswordField(props: Omit<PasswordFieldProps, 'autoComplete' | 'label'>) {
  return <PasswordField {...props} label="Current password" autoComplete="current-password" />
}

export function checkPassword(password: string): string | undefined {
  return password === '' ? 'Enter your password.' : undefined
}

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

function checkNewPassword(password: string): string | undefined {
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

/** A one-time code, or a recovery code where the account has those. */
export function CodeField(props: Omit<TextFieldProps, 'label'>) {
  return (
    <TextField
      label="Code"
      description="From your authenticator app, or a recovery code."
      autoComplete="one-time-code"
      {...unchanged}
      {...props}
    />
  )
}
