// Text to copy: beside a value, or a block of lines.
import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import classes from './copy.module.css'
import { CheckIcon, CopyIcon } from './icons.tsx'

/** `what` names it for screen readers: `the value`. */
export function Copy({ value, what }: { value: string; what: string }) {
  return (
    <CopyButton value={value} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`} withArrow>
          <ActionIcon
            variant="subtle"
            color={copied ? 'leaf' : 'gray'}
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${what}`}
          >
            {copied ? <CheckIcon /> : <CopyIcon />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

/** A value in its own type, with its copy button. */
export function CopyValue({ value, what }: { value: string; what: string }) {
  return (
    <Group gap={4} wrap="nowrap" className={classes.value}>
      <Code className={classes.code}>{value}</Code>
      <Copy value={value} what={what} />
    </Group>
  )
}

export function CopyBlock({ text, what }: { text: string; what: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard */}
      <pre className={classes.pre} tabIndex={0}>
        {text}
      </pre>
      <div className={classes.corner}>
        <Copy value={text} what={what} />
      </div>
    </div>
  )
}
