// How a count differs from that of the period before: an arrow and a share for the eye, a sentence for screen readers.
import { Text, type TextProps, VisuallyHidden } from '@mantine/core'
import { count } from '../platform/numbers.ts'

/** Not without any before: then everything would be new. */
export const isCompared = (previous: number | null): previous is number =>
  previous !== null && previous > 0

export function Change({
  before,
  now,
  previous,
  ...text
}: TextProps & {
  now: number
  previous: number
  /** The period before: `the 30 days before`. */
  before: string
}) {
  const { said, shown } = describe(now, previous)
  return (
    <Text component="span" size="sm" {...text}>
      <span aria-hidden>{shown}</span>
      <VisuallyHidden>{`${said} ${before}`}</VisuallyHidden>
    </Text>
  )
}

function describe(now: number, previous: number): { shown: string; said: string } {
  if (now === previous) return { shown: '0%', said: 'As many as in' }
  if (previous === 0) return { shown: 'New', said: 'None in' }
  const share = (100 * Math.abs(now - previous)) / previous
  const percent = share < 1 ? 'Less than 1%' : `${count(Math.round(share))}%`
  const short = percent.replace('Less than ', '<')
  return now > previous
    ? { shown: `↑ ${short}`, said: `${percent} more than in` }
    : { shown: `↓ ${short}`, said: `${percent} less than in` }
}
