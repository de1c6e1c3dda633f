// How a value is shown: a time, a state, an address, facts with their names, and what is behind a button.
import {
  Anchor,
  type AnchorProps,
  Badge,
  Stack,
  type StackProps,
  Text,
  type TextProps,
  Tooltip,
} from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { ago, exactly, shownAddress } from '../platform/formats.ts'
import { ExternalIcon } from './icons.tsx'
import classes from './values.module.css'

/** A time relative to now, with the exact time as a tooltip. `time` is RFC 3339, or null for what never happens. */
export function Ago({ time }: { time: string | null }) {
  const now = useNow()
  if (time === null) return 'Never'
  return (
    <Tooltip label={exactly(time)} withArrow events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={time}>{ago(time, now)}</time>
    </Tooltip>
  )
}

/** Milliseconds since the epoch, updated each second. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true })
  return now
}

export type Tone = 'success' | 'progress' | 'action' | 'danger' | 'neutral'

interface StateBadgeProps {
  tone: Tone
  children: string
  size?: 'md' | 'lg'
}

export function StateBadge({ children, size = 'md', tone }: StateBadgeProps) {
  return (
    <Badge
      className={classes.badge ?? ''}
      radius="sm"
      size={size}
      tt="none"
      fw={600}
      data-tone={tone}
    >
      {children}
    </Badge>
  )
}

export function ExternalLink({
  children,
  href,
  ...anchor
}: AnchorProps & { href: string; children?: string }) {
  const text = children ?? shownAddress(href)
  const lastPart = text.search(/[^\s./-]*$/)
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" {...anchor}>
      {text.slice(0, lastPart)}
      {/* The icon stays on the line of the last part. */}
      <span style={{ whiteSpace: 'nowrap' }}>
        {text.slice(lastPart)} <ExternalIcon size={14} />
      </span>
    </Anchor>
  )
}

export type Fact = [name: string, value: ReactNode]

/** `isRuled`: with a line between them, for lists that stand below each other. */
export function Facts({ facts, isRuled = false }: { facts: Fact[]; isRuled?: boolean }) {
  return (
    <dl className={classes.facts} data-ruled={isRuled}>
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

export function Disclosure({
  c,
  children,
  label,
  openLabel = label,
  ...stack
}: Omit<StackProps, 'c'> & {
  /** Of the button. */
  c?: string
  label: string
  /** Of the button while the content is shown. */
  openLabel?: string
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Stack gap="xs" {...stack}>
      <Anchor
        component="button"
        type="button"
        size="sm"
        {...(c !== undefined && { c })}
        ta="left"
        w="fit-content"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? openLabel : label}
      </Anchor>
      {isOpen && children}
    </Stack>
  )
}

/** Small and dimmed: what explains what it is beside. */
export function Note(text: TextProps & { role?: 'status'; children: ReactNode }) {
  return <Text size="sm" c="dimmed" {...text} />
}

/** A value, and below it what belongs to it, if that is not empty. */
export function Lines({ first, second }: { first: ReactNode; second: string }) {
  return (
    <Stack gap={0} style={{ overflowWrap: 'anywhere' }}>
      <span>{first}</span>
      {second && <Note>{second}</Note>}
    </Stack>
  )
}
