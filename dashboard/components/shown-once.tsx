// A secret, which is shown once.
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import classes from './copy.module.css'
import { copiedLabels, useCopy } from './copy.tsx'
import { useKeptOpen } from './dialog.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

interface ShownOnceProps {
  /** What it is: `API key`, `link`. */
  what: string
  secret: string
  close: () => void
  children?: ReactNode
}

export function ShownOnce({ children, close, secret, what }: ShownOnceProps) {
  const source = useRef<HTMLElement>(null)
  const [copied, copy] = useCopy(secret, source)
  const [wasCopied, setCopied] = useState(false)
  useKeptOpen(!wasCopied)
  return (
    <Stack>
      <Alert color="leaf" role="status" title={`Copy the ${what} now`}>
        {what.endsWith('s') ? 'They are' : 'It is'} shown only once and cannot be looked up later.
      </Alert>
      <Code
        block
        className={classes.wrapped ?? ''}
        aria-label={what}
        data-secret
        ref={source}
        onCopy={() => setCopied(true)}
      >
        {secret}
      </Code>
      <Button
        onClick={() => {
          copy()
          setCopied(true)
        }}
        leftSection={copied === 'copied' ? <CheckIcon /> : <CopyIcon />}
        data-autofocus
      >
        {copiedLabels[copied] || `Copy the ${what}`}
      </Button>
      {typeof children === 'string' ? <Text>{children}</Text> : children}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
