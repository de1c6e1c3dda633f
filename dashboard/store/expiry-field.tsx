// When something ends: after a usual time, or on a day.
import { Group, NativeSelect, TextInput } from '@mantine/core'

export interface Expiry {
  /** Days from now; empty for never, `date` for the day. */
  days: string
  /** `2027-01-31`, in the user's zone. */
  date: string
}

const dayMs = 86_400_000

/** RFC 3339; undefined for never. A day lasts to its end. */
export function expiryOf({ date, days }: Expiry): string | undefined {
  if (days === '') return undefined
  if (days !== 'date') return new Date(Date.now() + Number(days) * dayMs).toISOString()
  const end = new Date(`${date}T23:59:59`)
  // What is no day is for the server to say.
  return Number.isNaN(end.getTime()) ? date : end.toISOString()
}

export function ExpiryField({
  error,
  onChange,
  value,
}: {
  value: Expiry
  onChange: (value: Expiry) => void
  error: string | undefined
}) {
  const isDay = value.days === 'date'
  return (
    <Group align="flex-start" grow>
      <NativeSelect
        label="Ends"
        value={value.days}
        onChange={(event) => onChange({ ...value, days: event.currentTarget.value })}
        data={[
          { value: '', label: 'never' },
          { value: '30', label: 'in 30 days' },
          { value: '90', label: 'in 90 days' },
          { value: '365', label: 'in a year' },
          { value: 'date', label: 'on a day' },
        ]}
        error={isDay ? undefined : error}
      />
      {isDay && (
        <TextInput
          type="date"
          label="Last day"
          value={value.date}
          onChange={(event) => onChange({ ...value, date: event.currentTarget.value })}
          error={error}
        />
      )}
    </Group>
  )
}
