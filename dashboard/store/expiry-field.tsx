// The field for the time when a key expires.
import { Group } from '@mantine/core'
import { SelectField, TextField } from '../components/fields.tsx'

interface Expiry {
  /** Days from now; empty for never, `date` for a day. */
  days: string
  /** `2027-01-31`, in the user's time zone. */
  date: string
}

const dayMs = 86_400_000

/** RFC 3339, at the end of the day; undefined for never. */
export function expiryOf({ date, days }: Expiry): string | undefined {
  if (days === '') return undefined
  if (days !== 'date') return new Date(Date.now() + Number(days) * dayMs).toISOString()
  const end = new Date(`${date}T23:59:59`)
  // The server explains what is wrong with an invalid day.
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
      <SelectField
        label="Expires"
        value={value.days}
        onChange={(days) => onChange({ ...value, days })}
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
        <TextField
          type="date"
          label="Last day"
          value={value.date}
          onChange={(date) => onChange({ ...value, date })}
          error={error}
        />
      )}
    </Group>
  )
}
