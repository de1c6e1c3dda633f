// A button that opens an address of a site in another tab, and one that copies it.
import { Button } from '@mantine/core'
import { Copy } from '../../components/copy.tsx'
import { ExternalIcon } from '../../components/icons.tsx'

export function OpenAddress({
  address,
  href = address,
  title,
  what,
}: {
  /** What is copied. */
  address: string
  href?: string
  title: string
  /** For screen readers: what is copied. */
  what: string
}) {
  return (
    <>
      <Button
        component="a"
        href={href}
        target="_blank"
        rel="noreferrer"
        variant="default"
        size="compact-sm"
        h={30}
        rightSection={<ExternalIcon size={14} />}
      >
        {title}
      </Button>
      <Copy value={address} what={what} />
    </>
  )
}
