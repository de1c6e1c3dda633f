// A secret on the one occasion on which it is shown.
import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CheckIcon, CopyIcon } from './icons.tsx'
import classes from './shown-once.module.css'

export interface ShownOnceProps {
  /** What it is: `API key`, `link`. */
  what: string
  secret: string
  close: () => void
  /** What it is good for, and how to use it. */
  children?: ReactNode
}

export function ShownOnce({ children, close, secret, what }: ShownOnceProps) {
  return (
    <Stack>
      <Alert color="leaf" role="status" title={`Copy the ${what} now`}>
        It is shown this once. Nobody can look it up later.
      </Alert>
      <Code block className={classes.secret ?? ''} aria-label={what} data-secret>
        {secret}
      </Code>
      <CopyButton value={secret} timeout={4000}>
        {({ copied, copy }) => (
          <Button onClick={copy} leftSection={copied ? <CheckIcon /> : <CopyIcon />} data-autofocus>
            {copied ? 'Copied' : `Copy the ${what}`}
          </Button>
        )}
      </CopyButton>
      {typeof children === 'string' ? <Text>{children}</Text> : children}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
