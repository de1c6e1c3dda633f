// API keys, by which programs call the store's API. A key is shown once, when it is created.
import { Button, Group, Menu, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { PlusIcon, WarningIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, LoadedPages, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { type EnvironmentName, useEnvironment } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { EditKeyForm, NewKeyForm, RotateKeyForm } from './key-forms.tsx'
import { type ApiKey, useKeys, useRevokeKey } from './key-queries.ts'
import classes from './keys-page.module.css'

export function Component() {
  const environment = useEnvironment()
  return <Keys key={environment} environment={environment} />
}

type Open = { what: 'new' } | { what: 'edit' | 'rotate' | 'revoke'; key: ApiKey }

function Keys({ environment }: { environment: EnvironmentName }) {
  const { get, set } = useFilters([])
  const [open, setOpen] = useState<Open>()
  const showsAll = get('ended') === 'shown'
  const create = (
    <Button leftSection={<PlusIcon />} onClick={() => setOpen({ what: 'new' })} data-shortcut="new">
      Create key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead={`Programs call the store's ${environment} API with a key. Keys of the other environment are refused.`}
      actions={create}
    >
      <LoadedPages query={useKeys(environment)} loading={<Loading rows={4} height={64} />}>
        {(keys) => {
          const active = keys.filter(({ state }) => state === 'active')
          const ended = keys.length - active.length
          const shown = showsAll ? keys : active
          return (
            <>
              {keys.length > 0 && (ended > 0 || showsAll) && (
                <Switch
                  mb="md"
                  label={`Show ${counted(ended, 'expired or revoked key')}`}
                  checked={showsAll}
                  onChange={(event) => set({ ended: event.currentTarget.checked ? 'shown' : '' })}
                />
              )}
              {shown.length === 0 ? (
                <Empty title="No active keys" action={create}>
                  Programs need a key to call the {environment} API.
                </Empty>
              ) : (
                <Records
                  caption="API keys"
                  rows={shown}
                  keyOf={({ id }) => id}
                  columns={columnsOf((what, key) => setOpen({ what, key }))}
                />
              )}
            </>
          )
        }}
      </LoadedPages>
      <Dialogs environment={environment} open={open} close={() => setOpen(undefined)} />
    </Page>
  )
}

function Dialogs({
  close,
  environment,
  open,
}: {
  environment: EnvironmentName
  open: Open | undefined
  close: () => void
}) {
  const revoke = useRevokeKey(environment)
  const announce = useAnnounce()
  const key = open && 'key' in open ? open.key : undefined
  const label = key?.label ?? ''
  return (
    <>
      <Dialog opened={open?.what === 'new'} close={close} title={`Create a ${environment} key`}>
        <NewKeyForm environment={environment} close={close} />
      </Dialog>
      <Dialog opened={open?.what === 'edit'} close={close} title={`Edit ${label}`}>
        {key && <EditKeyForm environment={environment} apiKey={key} close={close} />}
      </Dialog>
      <Dialog opened={open?.what === 'rotate'} close={close} title={`Rotate ${label}`}>
        {key && <RotateKeyForm environment={environment} apiKey={key} close={close} />}
      </Dialog>
      <Confirm
        opened={open?.what === 'revoke'}
        close={close}
        title={`Revoke ${label}?`}
        verb="Revoke"
        act={async () => {
          if (!key) return
          await revoke.mutateAsync(key.id)
          announce({ text: `${label} is revoked.` })
        }}
      >
        Programs that use it are refused from their next request on. This cannot be undone. To give
        a program time to change, rotate the key instead.
      </Confirm>
    </>
  )
}

const states: Record<ApiKey['state'], string> = {
  active: 'Active',
  expired: 'Expired',
  revoked: 'Revoked',
}

function columnsOf(open: (what: 'edit' | 'rotate' | 'revoke', key: ApiKey) => void) {
  const columns: Column<ApiKey>[] = [
    {
      title: 'Key',
      isHead: true,
      cell: ({ id, label, state }) => (
        <Stack gap={0}>
          <Group gap={6}>
            {label}
            {state !== 'active' && (
              <StateBadge tone={state === 'revoked' ? 'bad' : 'still'}>{states[state]}</StateBadge>
            )}
          </Group>
          <Text size="xs" c="dimmed" ff="monospace">
            {id}
          </Text>
        </Stack>
      ),
    },
    {
      title: 'Permissions',
      cell: ({ hasAllScopes, scopes }) => (
        <Text size="sm">{hasAllScopes ? 'All' : scopes.join(', ')}</Text>
      ),
    },
    {
      title: 'Rate limit',
      cell: ({ rateLimit }) => <Text size="sm">{rateLimit ?? 'Standard'}</Text>,
    },
    {
      title: 'Expires',
      cell: ({ expiresAt, revokedAt }) => (
        <Text size="sm">
          {revokedAt ? <Ago time={revokedAt} /> : expiresAt ? <Ago time={expiresAt} /> : 'Never'}
        </Text>
      ),
    },
    {
      title: 'Last used',
      cell: ({ deprecatedAt, deprecatedCalls, lastUsedAt }) => (
        <Stack gap={2}>
          <Text size="sm">{lastUsedAt ? <Ago time={lastUsedAt} /> : 'Never'}</Text>
          {deprecatedCalls > 0 && deprecatedAt && (
            <Group gap={4} wrap="nowrap" align="flex-start">
              <span className={classes.sign}>
                <WarningIcon size={15} />
              </span>
              <Text size="xs">
                {counted(deprecatedCalls, 'call')} of the deprecated getPet, which is removed on 5
                December 2030. Last call: <Ago time={deprecatedAt} />
              </Text>
            </Group>
          )}
        </Stack>
      ),
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (key) =>
        key.state !== 'revoked' && (
          <RowMenu of={key.label}>
            <Menu.Item onClick={() => open('edit', key)}>Edit</Menu.Item>
            <Menu.Item onClick={() => open('rotate', key)}>Rotate</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" onClick={() => open('revoke', key)}>
              Revoke
            </Menu.Item>
          </RowMenu>
        ),
    },
  ]
  return columns
}
