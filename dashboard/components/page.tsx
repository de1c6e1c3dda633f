// The frame of every page, and its sections.
import { Anchor, Box, Breadcrumbs, Group, Text, Title, type TitleOrder } from '@mantine/core'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Link, useNavigationType } from 'react-router'
import classes from './page.module.css'

interface PageProps {
  title: string
  /** The part of the page that is shown, for the title of the window. */
  tab?: string
  /** Pages that this one is part of, the outermost first. */
  within?: { title: string; to: string }[]
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Page({ actions, children, lead, tab, title, within = [] }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const navigation = useNavigationType()
  useEffect(() => {
    const outer = within.map((each) => each.title).reverse()
    const titles = [tab, title, ...outer, 'Animal Store']
    document.title = titles.filter((each) => each !== undefined).join(' · ')
  }, [tab, title, within])
  // After a link, the focus makes screen readers announce the new page; a loaded page is announced anyway. A filter that
  // changes the address of the page takes the focus from nobody.
  // biome-ignore lint/correctness/useExhaustiveDependencies: how the page was opened
  useEffect(() => {
    // Not while somebody types into the palette, which was opened before this page was loaded.
    const isSearching = document.activeElement?.matches('[aria-modal="true"] [role="combobox"]')
    if (navigation === 'PUSH' && !isSearching) heading.current?.focus({ preventScroll: true })
  }, [])
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

interface SectionProps {
  title: string
  /** Of its address: `#id`. */
  id?: string
  /** What it is for, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  level?: TitleOrder
  size?: 'h3' | 'h4' | 'h5' | 'h6'
  children: ReactNode
}

/** A titled part of a page, with actions beside the title. */
export function Section({
  actions,
  children,
  id,
  lead,
  level = 2,
  size = level === 2 ? 'h4' : 'h6',
  title,
}: SectionProps) {
  const titleId = useId()
  return (
    <section id={id} className={classes.section} aria-labelledby={titleId}>
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <div className={classes.about} data-lead={Boolean(lead)}>
          <Title order={level} size={size} id={titleId}>
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed" maw={620}>
              {lead}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {children}
    </section>
  )
}
