// The frame of the pages before the dashboard: the brand above, and one column.
import { Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import icon from '../icon.svg'
import classes from './view.module.css'

export function Frame({ children }: { children: ReactNode }) {
  return (
    <>
      <header className={classes.header}>
        <a className={classes.brand} href="/">
          <img src={icon} alt="" width="28" height="28" />
          Animal Store
        </a>
      </header>
      <main className={classes.main}>{children}</main>
    </>
  )
}

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
