// API keys: who may call the store's API. A key is shown once, when it is made.
import { Button, Group, Menu, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { PlusIcon, WarningIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { type Column, Records } from '../components/records.tsx'
import { RowMenu } from '../components/row-menu.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { type EnvironmentName, useEnvironment } from '../shell/navigation.tsx'
import { EditKeyForm, NewKeyForm, RotateKeyForm } from './key-forms.tsx'
import { type ApiKey, useKeys, useRevokeKey } from './key-queries.ts'
import classes from './keys-page.module.css'

export function Component() {
  const environment = useEnvironment()
  return <Keys key={environment} environment={environment} />
}

type Open = { what: 'new' } | { what: 'edit' | 'rotate' | 'revoke'; key: ApiKey }

function Keys({ environment }: { environment: EnvironmentName }) {
  const keys = useKeys(environment)
  const { get, set } = useFilters([])
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const found = keys.data?.pages.flatMap(({ items }) => items)
  const working = found?.filter(({ state }) => state === 'active')
  const showsAll = get('ended') === 'shown'
  const shown = showsAll ? found : working
  const ended = (found?.length ?? 0) - (working?.length ?? 0)
  const create = (
    <Button leftSection={<PlusIcon />} onClick={() => setOpen({ what: 'new' })} data-shortcut="new">
      Create key
    </Button>
  )
  return (
    <Page
      title="API keys"
      lead={`Programs call the store's ${environment} API with a key. A key of the other environment is refused.`}
      actions={create}
    >
      {!found && keys.error && <Failed error={keys.error} retry={() => void keys.refetch()} />}
      {!found && !keys.error && <Loading rows={4} height={64} />}
      {found && found.length > 0 && (ended > 0 || showsAll) && (
        <Switch
          mb="md"
          label={`Show ${counted(ended, 'key')} that ${ended === 1 ? 'has' : 'have'} ended`}
          checked={showsAll}
          onChange={(event) => set({ ended: event.currentTarget.checked ? 'shown' : '' })}
        />
      )}
      {shown?.length === 0 && (
        <Empty title="No key works here" action={create}>
          Without a key no program can call the {environment} API.
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <Records
          caption="API keys"
          rows={shown}
          keyOf={({ id }) => id}
          columns={columnsOf((what, key) => setOpen({ what, key }))}
        />
      )}
      {keys.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={keys.isFetchingNextPage}
            onClick={() => void keys.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
      <Dialogs environment={environment} open={open} close={close} />
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
        What calls with it is refused from the next request on. It cannot be brought back. Rotate it
        instead to give its program time to change.
      </Confirm>
    </>
  )
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
              <StateBadge tone={state === 'revoked' ? 'bad' : 'still'}>{state}</StateBadge>
            )}
          </Group>
          <Text size="xs" c="dimmed" ff="monospace">
            {id}
          </Text>
        </Stack>
      ),
    },
    {
      title: 'May',
      cell: ({ hasAllScopes, scopes }) => (
        <Text size="sm">{hasAllScopes ? 'everything' : scopes.join(', ')}</Text>
      ),
    },
    {
      title: 'Rate limit',
      cell: ({ rateLimit }) => <Text size="sm">{rateLimit ?? 'standard'}</Text>,
    },
    {
      title: 'Ends',
      cell: ({ expiresAt, revokedAt }) => (
        <Text size="sm">
          {revokedAt ? <Ago time={revokedAt} /> : expiresAt ? <Ago time={expiresAt} /> : 'never'}
        </Text>
      ),
    },
    {
      title: 'Last used',
      cell: ({ deprecatedAt, deprecatedCalls, lastUsedAt }) => (
        <Stack gap={2}>
          <Text size="sm">{lastUsedAt ? <Ago time={lastUsedAt} /> : 'never'}</Text>
          {deprecatedCalls > 0 && deprecatedAt && (
            <Group gap={4} wrap="nowrap" align="flex-start">
              <span className={classes.sign}>
                <WarningIcon size={15} />
              </span>
              <Text size="xs">
                {counted(deprecatedCalls, 'call')} of getPet, which ends on 5 December 2030; the
                last <Ago time={deprecatedAt} />
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
