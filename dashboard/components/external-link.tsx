// A link that opens a new tab. Its text is the address, unless it has another one.
import { Anchor, type AnchorProps } from '@mantine/core'
import { shownAddress } from '../platform/numbers.ts'
import { ExternalIcon } from './icons.tsx'

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
