// The frame of every page: its title in the tab and on the page, what can be done, and what it is part of.
import { Anchor, Box, Breadcrumbs, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useNavigationType } from 'react-router'
import classes from './page.module.css'

export interface PageProps {
  title: string
  /** Pages that this one is part of, the outermost first. */
  within?: { title: string; to: string }[]
  /** A sentence under the title. */
  lead?: ReactNode
  /** Buttons beside the title. */
  actions?: ReactNode
  children: ReactNode
}

export function Page({ actions, children, lead, title, within = [] }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const navigation = useNavigationType()
  useEffect(() => {
    document.title = [title, ...within.map((each) => each.title).reverse(), 'Animal Store'].join(
      ' · ',
    )
  }, [title, within])
  // Who came by a link hears where he is; who came by the address bar hears the page's title anyway.
  useEffect(() => {
    if (navigation === 'PUSH') heading.current?.focus({ preventScroll: true })
  }, [navigation])
  return (
    <Box className={classes.page}>
      {within.length > 0 && (
        <Breadcrumbs className={classes.within} separatorMargin={6}>
          {within.map((each) => (
            <Anchor key={each.to} component={Link} to={each.to} size="sm">
              {each.title}
            </Anchor>
          ))}
        </Breadcrumbs>
      )}
      <Group className={classes.head} justify="space-between" align="center" gap="sm">
        <Title order={1} size="h2" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {lead && (
        <Text className={classes.lead ?? ''} c="dimmed" mb="lg">
          {lead}
        </Text>
      )}
      {children}
    </Box>
  )
}
