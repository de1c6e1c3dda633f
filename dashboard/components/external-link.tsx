// A link that opens a new tab. Its text is the address.
import { Anchor, type AnchorProps } from '@mantine/core'
import { shownAddress } from '../platform/numbers.ts'
import { ExternalIcon } from './icons.tsx'

export function ExternalLink({ href, ...anchor }: AnchorProps & { href: string }) {
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" {...anchor}>
      {shownAddress(href)} <ExternalIcon size={14} />
    </Anchor>
  )
}
