// A link that opens a new tab. Its text is the address, unless it has another one.
import { Anchor, type AnchorProps } from '@mantine/core'
import { shownAddress } from '../platform/numbers.ts'
import { ExternalIcon } from './icons.tsx'

export function ExternalLink({
  children,
  href,
  ...anchor
}: AnchorProps & { href: string; children?: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" {...anchor}>
      {children ?? shownAddress(href)}
      {/* The icon stays on the line of the last word. */}
      {'\u00a0'}
      <ExternalIcon size={14} />
    </Anchor>
  )
}
