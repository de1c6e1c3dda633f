import { Tooltip } from '@mantine/core'
import { ago, exactly } from '../platform/times.ts'
import { useNow } from '../platform/use-now.ts'

/** A time relative to now, with the exact time as a tooltip. `time` is RFC 3339. */
export function Ago({ time }: { time: string }) {
  const now = useNow()
  return (
    <Tooltip label={exactly(time)} withArrow events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={time}>{ago(time, now)}</time>
    </Tooltip>
  )
}
