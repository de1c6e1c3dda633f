// A button that shows its content, and hides it again.
import { Anchor, Stack, type StackProps } from '@mantine/core'
import { type ReactNode, useState } from 'react'

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
