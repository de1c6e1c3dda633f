// The pages by their addresses. Each is loaded when it is first opened.
import { lazy } from 'react'
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router'
import { useFactorMissing } from './platform/session.ts'
import {
  ExistingEnvironment,
  NotFound,
  OperatorsOnly,
  PageError,
  UnknownPage,
} from './shell/problem-pages.tsx'
import { Shell } from './shell/shell.tsx'

type Loading = () => Promise<{ Component: React.ComponentType }>

const MissingFactor = lazy(async () => ({
  default: (await import('./accounts/sign-in-sections.tsx')).MissingFactor,
}))

/** Above all pages: while the operator requires a second factor that the session has not proven, it is asked for. */
function SecondFactorGate() {
  return useFactorMissing() ? <MissingFactor /> : <Outlet />
}

const page = (path: string, lazy: Loading): RouteObject => ({ path, lazy })

export const router = createBrowserRouter([
  {
    path: '/',
    Component: Shell,
    ErrorBoundary: PageError,
    children: [
      {
        Component: SecondFactorGate,
        ErrorBoundary: PageError,
        children: [
          { index: true, lazy: () => import('./publishing/projects-page.tsx') },
          page('projects', () => import('./publishing/projects-page.tsx')),
          {
            path: 'projects/:slug',
            lazy: () => import('./publishing/project-layout.tsx'),
            children: [
              { index: true, lazy: () => import('./publishing/overview-page.tsx') },
              page('deploys', () => import('./publishing/deploys-page.tsx')),
              page('analytics', () => import('./publishing/analytics-page.tsx')),
              page('settings', () => import('./publishing/settings/settings-page.tsx')),
              page('settings/domains', () => import('./publishing/domains/domains-page.tsx')),
              page('settings/:section', () => import('./publishing/settings/settings-page.tsx')),
              { path: '*', Component: UnknownPage },
            ],
          },
          page('site-access', () => import('./publishing/site-access-page.tsx')),
          page('connect/:state', () => import('./publishing/domains/connect-return-page.tsx')),
          page('account', () => import('./accounts/account-page.tsx')),
          page('account/activity', async () => ({
            Component: (await import('./accounts/audit-log.tsx')).Activity,
          })),
          {
            Component: OperatorsOnly,
            children: [
              {
                path: 'store/:environment',
                Component: ExistingEnvironment,
                children: [
                  page('animals', () => import('./store/animals-page.tsx')),
                  page('categories', () => import('./store/categories-page.tsx')),
                  page('orders', () => import('./store/orders-page.tsx')),
                  page('keys', () => import('./store/keys-page.tsx')),
                  page('webhooks', () => import('./store/webhooks-page.tsx')),
                  { path: '*', Component: NotFound },
                ],
              },
              page('audit-log', async () => ({
                Component: (await import('./accounts/audit-log.tsx')).WholeLog,
              })),
              page('members', () => import('./accounts/members-page.tsx')),
              page('system', () => import('./system/system-page.tsx')),
            ],
          },
          { path: '*', Component: NotFound },
        ],
      },
    ],
  },
])
