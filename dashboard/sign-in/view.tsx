// The frame of the pages before the dashboard: the brand above, and one column.
import { Box, Button, Center, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import icon from '../icon.svg'

export function Frame({ children }: { children: ReactNode }) {
  return (
    <>
      <Box component="header" p="1.25rem clamp(1.25rem, 4vw, 2.5rem)">
        <Center
          inline
          component="a"
          c="var(--mantine-color-text)"
          fw={650}
          td="none"
          style={{ gap: '0.6rem' }}
          href="/"
        >
          <img src={icon} alt="" width="28" height="28" />
          Animal Store
        </Center>
      </Box>
      <Box component="main" maw="28rem" mx="auto" p="clamp(0.75rem, 6vh, 4rem) 1.25rem 4rem">
        {children}
      </Box>
    </>
  )
}

/** Opens another page; by default the dashboard, or the sign-in page without a session. */
export const GoOn = ({ href = '/', children }: { href?: string; children: string }) => (
  <Button variant="filled" component="a" href={href} w="fit-content">
    {children}
  </Button>
)

let hasShownView = false

interface ViewProps {
  title: string
  lead?: ReactNode
  children: ReactNode
}

/** A view that replaces another one moves the focus to its heading, so that screen readers notice it. */
export function View({ children, lead, title }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Animal Store`
    scrollTo(0, 0)
    if (hasShownView) heading.current?.focus({ preventScroll: true })
    hasShownView = true
  }, [title])
  return (
    <Stack>
      <div>
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {lead && (
          <Text c="dimmed" mt={6}>
            {lead}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  )
}
