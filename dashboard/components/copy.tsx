// Buttons that copy a value or a block of lines.
import { ActionIcon, Box, Button, Code, Group, Tooltip, VisuallyHidden } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { type RefObject, useRef, useState } from 'react'
import { CheckIcon, CopyIcon } from './icons.tsx'

type Copied = 'no' | 'copied' | 'selected'

const shownForMs = 2500
export const copiedLabels = {
  no: '',
  copied: 'Copied',
  selected: 'Selected: copy it with the keyboard',
}

interface CopyProps {
  value: string
  /** For screen readers: `the value`. */
  what: string
  /** The element that shows the value. It is selected where the clipboard is not available. */
  source?: RefObject<HTMLElement | null>
}

export function Copy({ source, value, what }: CopyProps) {
  const [copied, copy] = useCopy(value, source)
  const words = copiedLabels[copied]
  return (
    <>
      <Tooltip
        label={words || `Copy ${what}`}
        withArrow
        {...(copied === 'selected' ? { opened: true } : {})}
      >
        <ActionIcon
          variant="subtle"
          color={copied === 'copied' ? 'leaf' : 'gray'}
          onClick={copy}
          aria-label={`Copy ${what}`}
        >
          {copied === 'copied' ? <CheckIcon /> : <CopyIcon />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{words && `${words}.`}</VisuallyHidden>
    </>
  )
}

/** With words, for text that is not shown. */
export function CopyButton({ children, text }: { children: string; text: string }) {
  const [copied, copy] = useCopy(text)
  return (
    <>
      <Button
        size="compact-sm"
        leftSection={copied === 'copied' ? <CheckIcon size={15} /> : <CopyIcon size={15} />}
        onClick={copy}
      >
        {children}
      </Button>
      <VisuallyHidden role="status">{copied === 'copied' && 'Copied.'}</VisuallyHidden>
    </>
  )
}

export function CopyValue({ value, what }: { value: string; what: string }) {
  const source = useRef<HTMLElement>(null)
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <Code
        fz="0.85rem"
        bg="light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))"
        style={{ overflowWrap: 'anywhere' }}
        ref={source}
      >
        {value}
      </Code>
      <Copy value={value} what={what} source={source} />
    </Group>
  )
}

export function CopyBlock({ text, what }: { text: string; what: string }) {
  const source = useRef<HTMLPreElement>(null)
  return (
    <Group
      gap={0}
      wrap="nowrap"
      align="flex-start"
      bd="1px solid var(--line)"
      bdrs="md"
      bg="light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-7))"
    >
      {/* Scrolling by keyboard needs the focus. */}
      <Box
        component="pre"
        flex={1}
        miw={0}
        p="0.7rem 0.9rem"
        bdrs="inherit"
        style={{ overflowX: 'auto', font: '0.82rem / 1.55 var(--mantine-font-family-monospace)' }}
        tabIndex={0}
        ref={source}
      >
        {text}
      </Box>
      <Box p="0.35rem">
        <Copy value={text} what={what} source={source} />
      </Box>
    </Group>
  )
}

/**
 * Copies text to the clipboard. Over plain HTTP, except on localhost, the clipboard API is missing: the text in `source`,
 * or in a field for this purpose, is selected, and the browser copies the selection.
 */
export function useCopy(
  text: string,
  source?: RefObject<HTMLElement | null>,
): [copied: Copied, copy: () => void] {
  const [copied, setCopied] = useState<Copied>('no')
  const { clear, start } = useTimeout(() => setCopied('no'), shownForMs)
  const copy = (): void =>
    void writeToClipboard(text, source?.current).then((done) => {
      setCopied(done)
      clear()
      start()
    })
  return [copied, copy]
}

async function writeToClipboard(text: string, source?: HTMLElement | null): Promise<Copied> {
  try {
    await navigator.clipboard.writeText(text)
    return 'copied'
  } catch {
    if (!source) return copyFromField(text)
    getSelection()?.selectAllChildren(source)
    return document.execCommand('copy') ? 'copied' : 'selected'
  }
}

function copyFromField(text: string): Copied {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.cssText = 'position: fixed; opacity: 0'
  // Within a dialog, which keeps the focus.
  const parent = focused?.closest('[role="dialog"]') ?? document.body
  parent.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isDone ? 'copied' : 'no'
}
