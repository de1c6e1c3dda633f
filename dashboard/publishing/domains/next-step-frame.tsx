// The frame of a next step.
import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Section } from '../../components/page.tsx'
import classes from './next-step.module.css'

export function Step({ children, title }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.step}>
      <Section level={4} size="h6" title={title}>
        <Stack gap="sm">{children}</Stack>
      </Section>
    </div>
  )
}
