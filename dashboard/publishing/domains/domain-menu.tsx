// What else an owner does with a domain: its role, and its removal.
import { useAttempt } from '../../components/announcements.tsx'
import { RowMenu } from '../../components/row-menu.tsx'
import {
  type Configuration,
  type Domain,
  useConfiguration,
  useConfigure,
  usePrepare,
} from './domain-queries.ts'
import { isMoving } from './domain-status.ts'
import { RedirectForm, withoutRedirect, withPrimary } from './redirect-form.tsx'
import { Removal } from './removal.tsx'

export function DomainMenu({ domain }: { domain: Domain }) {
  const { host, role } = domain
  const { data: configuration } = useConfiguration()
  const { put } = useConfigure()
  const attempt = useAttempt()
  const prepare = usePrepare(host)

  function change(changed: (known: Configuration) => Configuration, done: string): void {
    if (!configuration) return
    attempt(
      put(changed(configuration)),
      () => done,
      () => put(configuration),
    )
  }

  return (
    <RowMenu
      label={`Menu of ${host}`}
      actions={[
        {
          item: 'Make primary',
          isDisabled: role === 'primary' || !configuration,
          act: () =>
            change((known) => withPrimary(known, host), `${host} is now the primary domain.`),
        },
        role === 'redirect' && {
          item: 'Serve the site',
          isDisabled: !configuration,
          act: () =>
            change((known) => withoutRedirect(known, host), `${host} now serves the site.`),
        },
        {
          item: 'Redirect',
          title: `Redirect ${host}`,
          content: (close) => <RedirectForm domain={domain} close={close} />,
        },
        isMoving(domain)
          ? {
              item: 'Cancel preparation',
              act: () =>
                attempt(prepare(false), () => `${host}: the certificate is no longer prepared.`),
            }
          : {
              item: 'Prepare certificate',
              isDisabled: domain.dns === 'ok',
              act: () =>
                attempt(
                  prepare(true),
                  () => `${host}: the certificate is issued before the switch.`,
                ),
            },
        'divider',
        {
          item: 'Remove',
          isDestructive: true,
          title: `Remove ${host}?`,
          size: 'lg',
          content: (close) => <Removal domain={domain} close={close} />,
        },
      ]}
    />
  )
}
