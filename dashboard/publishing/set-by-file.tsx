// A setting that a file of the live deploy sets: what it is, where it comes from, and how to set it here.
import { Code, Text } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { BookIcon, LockIcon } from '../components/icons.tsx'
import classes from './set-by-file.module.css'

export function SetByFile({
  children,
  label,
  name,
}: {
  label: string
  /** The field of site.yaml; undefined for the whole file _redirects. */
  name?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div role="group" aria-labelledby={id}>
      <Text size="sm" fw={500} id={id}>
        {label}
      </Text>
      <div className={classes.value}>{children}</div>
      <Text size="xs" c="dimmed" className={classes.origin ?? ''}>
        <LockIcon size={13} />
        <span>
          Set by {name === undefined ? '_redirects' : 'site.yaml'} of the live deploy. To set it
          here, remove {name === undefined ? 'the file' : <Code>{name}</Code>}
          {name !== undefined && ' from it'} and deploy again.
        </span>
      </Text>
    </div>
  )
}

type Sections = Answer<'GET /projects/{slug}/site-settings'>['settings']['navigation']

/** Pages and groups in their order. */
export function NavigationTree({ sections }: { sections: Sections }) {
  return (
    <ul className={classes.tree}>
      {sections.map(({ pages, title }, at) =>
        title === null ? (
          <Pages key={pages.join()} pages={pages} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have the same title
          <li key={`${at} ${title}`}>
            <strong>{title}</strong>
            <ul>
              <Pages pages={pages} />
            </ul>
          </li>
        ),
      )}
    </ul>
  )
}

function Pages({ pages }: { pages: string[] }) {
  return pages.map((path) => (
    <li key={path} className={classes.page}>
      <BookIcon size={14} />
      <span>{path}</span>
    </li>
  ))
}
