// Asks before another page replaces a form with changes that are not saved.
import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { useConfirm } from '../components/dialog.tsx'
import { hasUnsavedChanges } from '../components/unsaved-changes.ts'

export function LeaveGuard() {
  const confirm = useConfirm()
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      hasUnsavedChanges() && currentLocation.pathname !== nextLocation.pathname,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each page that was to be opened
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    confirm({
      title: 'Leave without saving?',
      text: 'What you changed on this page is not saved yet. If you leave, it is lost.',
      verb: 'Discard changes',
      act: async () => blocker.proceed(),
    })
  }, [blocker])
  return null
}
