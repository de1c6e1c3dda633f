// The button that opens the palette, and its key: Ctrl-K or Cmd-K, also while typing. The palette is loaded when it is first
// opened.
import { Kbd, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { SearchIcon } from '../components/icons.tsx'
import type { Account } from '../platform/session.ts'
import classes from './palette.module.css'

const load = () => import('./palette.tsx')
const Palette = lazy(async () => ({ default: (await load()).Palette }))

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

export function PaletteOpener({ account }: { account: Account }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      // What is typed right after the key must find its field.
      if (event.key === 'Control' || event.key === 'Meta') void load()
      const isK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!isK || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (isOpen) setOpen(false)
      // A dialog keeps what was typed.
      else if (document.querySelector('[role="dialog"]') === null) setOpen(true)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [isOpen])
  return (
    <>
      <UnstyledButton
        className={classes.open ?? ''}
        onClick={() => setOpen(true)}
        onPointerEnter={() => void load()}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <SearchIcon size={16} />
        <span>Search</span>
        <Kbd size="xs" aria-hidden>
          {isApple ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      {isOpen && (
        <Suspense fallback={null}>
          <Palette account={account} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
