// Above pages that not everyone can open, or that exist only for some addresses.
import { Outlet, useParams } from 'react-router'
import { useAccount } from '../platform/use-account.ts'
import { NoAccess, NotFound } from './problem-pages.tsx'

/** The server refuses the requests of these pages to members. */
export function OperatorsOnly() {
  return useAccount().role === 'operator' ? <Outlet /> : <NoAccess />
}

export function ExistingEnvironment() {
  const { environment = '' } = useParams()
  return ['production', 'staging'].includes(environment) ? <Outlet /> : <NotFound />
}
