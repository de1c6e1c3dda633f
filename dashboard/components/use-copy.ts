// Copies text to the clipboard. Over plain HTTP, except on localhost, the clipboard API is missing: the text is
// selected, and the browser copies the selection.
import { useCallback, useEffect, useRef, useState } from 'react'

type Copied = 'no' | 'copied' | 'selected'

const shownForMs = 2500

/** `source` is the element that shows the text. */
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
      timer.current = setTimeout(() => setCopied('no'), shownForMs)
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
