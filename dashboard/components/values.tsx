// How a value is shown: a time, a state, an address, facts with their names, and what is behind a button.
import {
  Anchor,
  type AnchorProps,
  Badge,
  Box,
  Flex,
  Stack,
  type StackProps,
  Text,
  type TextProps,
  Tooltip,
} from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { Link, type LinkProps } from 'react-router'
import { ago, exactly, shownAddress } from '../platform/formats.ts'
import { ExternalIcon } from './icons.tsx'

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

/** Each is readable on its own ground in both themes (4.5 to 1 at least). */
export const tones = {
  success: { c: 'light-dark(#0f4a30, #b0e6c8)', bg: 'light-dark(#dcebe1, #1f3a2c)' },
  progress: { c: 'light-dark(#0b4a80, #a5d8ff)', bg: 'light-dark(#e0eefb, #17324a)' },
  action: { c: 'light-dark(#5c3c00, #ffd76a)', bg: 'light-dark(#fff0c2, #3d3010)' },
  danger: { c: 'light-dark(#8c1d18, #f9b4ab)', bg: 'light-dark(#fbe3e0, #46201d)' },
  neutral: { c: 'light-dark(#3a3f3b, #dfe3dd)', bg: 'light-dark(#ece9e0, #363d38)' },
}
export type Tone = keyof typeof tones

interface StateBadgeProps {
  tone: Tone
  children: string
  size?: 'md' | 'lg'
}

/** Never cut off. */
export function StateBadge({ tone, ...badge }: StateBadgeProps) {
  return (
    <Badge
      radius="sm"
      tt="none"
      fw={600}
      lts="normal"
      flex="none"
      miw="max-content"
      {...tones[tone]}
      {...badge}
    />
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

/** A link to a page of the dashboard. */
export const PageLink = (anchor: AnchorProps & Omit<LinkProps, 'color' | 'style'>) => (
  <Anchor component={Link} size="sm" {...anchor} />
)

export type Fact = [name: string, value: ReactNode]

/** `isRuled`: with a line between them, for lists that stand below each other. */
export function Facts({ facts, isRuled = false }: { facts: Fact[]; isRuled?: boolean }) {
  const present = facts.filter(([, value]) => value !== null)
  return (
    <Stack
      component="dl"
      gap={isRuled ? 0 : '0.45rem'}
      style={{ fontVariantNumeric: 'tabular-nums' }}
    >
      {present.map(([name, value], i) => (
        <Flex
          key={name}
          gap="0.75rem"
          align="baseline"
          py={isRuled ? '0.55rem' : 0}
          style={isRuled && i > 0 ? { borderTop: '1px solid var(--line)' } : {}}
        >
          <Text component="dt" flex={2} miw="7rem" c="dimmed" fz="0.9rem">
            {name}
          </Text>
          <Box component="dd" flex={isRuled ? 5 : 3} miw={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </Flex>
      ))}
    </Stack>
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
