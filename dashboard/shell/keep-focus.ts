// Keeps the focus near where it was, when what has it is removed or disabled: a row that was deleted, a form that was
// saved, a notice that has ended. A browser would leave it nowhere, so that a screen reader starts at the top.
import { useEffect } from 'react'

/** The element and all that it is in, from the inside out. */
type Chain = Element[]

/** Of elements that had the focus: the one that opened a dialog comes before those within it. */
const maxChains = 8
/** Dialogs return the focus themselves, a moment after they have closed. */
const delayMs = 80

export function useKeptFocus(): void {
  useEffect(() => {
    const chains: Chain[] = []
    /** Has the focus, or had it until it was removed or disabled. */
    let current: Element | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const note = ({ target }: FocusEvent): void => {
      if (!(target instanceof Element)) return
      current = target
      chains.push(chainOf(target))
      if (chains.length > maxChains) chains.shift()
    }
    /** A click beside everything takes the focus away, too: that is not undone. */
    const release = ({ relatedTarget, target }: FocusEvent): void => {
      if (relatedTarget !== null || !document.hasFocus()) return
      setTimeout(() => {
        if (target === current && isFocusable(current)) current = undefined
      })
    }
    const restore = (): void => {
      if (document.activeElement !== document.body || !current) return
      // A button that is busy gets it back.
      if (current.isConnected && current.hasAttribute('data-loading')) return
      const target = isFocusable(current) ? current : nearest(chains)
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
    }
    const observer = new MutationObserver(() => {
      clearTimeout(timer)
      timer = setTimeout(restore, delayMs)
    })
    const attributeFilter = ['disabled', 'data-loading']
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter })
    addEventListener('focusin', note)
    addEventListener('focusout', release)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      removeEventListener('focusin', note)
      removeEventListener('focusout', release)
    }
  }, [])
}

const isFocusable = (element: Element | undefined): boolean =>
  element?.isConnected === true && !element.matches(':disabled')

function chainOf(element: Element): Chain {
  const chain: Chain = []
  for (let each: Element | null = element; each; each = each.parentElement) chain.push(each)
  return chain
}

/** In the part of the page that the latest of them was in, if it is still there: what asks for the focus, or the heading. */
function nearest(chains: Chain[]): HTMLElement | undefined {
  for (const chain of chains.toReversed()) {
    for (const each of chain) {
      if (!each.isConnected || !each.matches('section, main, [role="dialog"]')) continue
      const wanted = each.querySelector<HTMLElement>('[data-autofocus]')
      if (wanted) return wanted
      const heading = each.querySelector<HTMLElement>('h1, h2, h3, h4, h5, h6')
      if (!heading) continue
      if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
      return heading
    }
  }
  return undefined
}
