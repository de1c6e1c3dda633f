// Above all pages: while the operator requires a second factor that the session has not proven, it is asked for.
import { lazy } from 'react'
import { Outlet } from 'react-router'
import { useFactorMissing } from '../platform/session.ts'

const MissingFactor = lazy(async () => ({
  default: (await import('./missing-factor.tsx')).Component,
}))

export function SecondFactorGate() {
  return useFactorMissing() ? <MissingFactor /> : <Outlet />
}
