// Puts text into the clipboard. Plain HTTP has none, except on this machine: there what is to be copied is
// selected, and the browser is asked to copy what is selected.
import { useCallback, useEffect, useRef, useState } from 'react'

export type Copied = 'no' | 'copied' | 'selected'

const saidForMs = 2500

/** `source` is the element that holds the text; it is made for the moment where there is none. */
export function useCopy(
  text: string,
  source?: React.RefObject<HTMLElement | null>,
): [copied: Copied, copy: () => void] {
  const [copied, setCopied] = useState<Copied>('no')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback(() => {
    void toClipboard(text, source?.current).then((done) => {
      setCopied(done)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setCopied('no'), saidForMs)
    })
  }, [text, source])
  return [copied, copy]
}

async function toClipboard(text: string, source?: HTMLElement | null): Promise<Copied> {
  try {
    await navigator.clipboard.writeText(text)
    return 'copied'
  } catch {
    if (!source) return 'no'
    getSelection()?.selectAllChildren(source)
    return document.execCommand('copy') ? 'copied' : 'selected'
  }
}
