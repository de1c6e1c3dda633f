// Orders: filter, place, approve, deliver, cancel.
import { Anchor, Button, Group, NativeSelect } from '@mantine/core'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge, type Tone } from '../components/state-badge.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { type EnvironmentName, useEnvironment } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import classes from './animal-filters.module.css'
import { useEnvironmentState } from './environment-queries.ts'
import { OrderDialog } from './order-form.tsx'
import {
  type Order,
  type OrderStatus,
  orderStatuses,
  type Transition,
  transitions,
  useMoveOrder,
  useOrderedAnimals,
  useOrders,
} from './order-queries.ts'

export function Component() {
  const environment = useEnvironment()
  return <Orders key={environment} environment={environment} />
}

const tones: Record<OrderStatus, Tone> = {
  placed: 'act',
  approved: 'busy',
  delivered: 'good',
  cancelled: 'still',
}

interface Confirmed {
  order: Order
  transition: 'deliver' | 'cancel'
}

function Orders({ environment }: { environment: EnvironmentName }) {
  const filters = useFilters(['status', 'petId'])
  const orders = useOrders(environment, filters.query({ limit: 20 }))
  const names = useOrderedAnimals(environment, orders.data?.items ?? [])
  const [confirmed, setConfirmed] = useState<Confirmed>()
  const move = useMoveOrder(environment)
  const announce = useAnnounce()
  const { set } = filters
  const go = useCallback((cursor: string) => set({ cursor }), [set])
  const close = useCallback(() => set({ place: '' }), [set])
  const nameOf = (petId: number): string => names.get(petId) ?? `animal ${petId}`
  const place = (
    <Button leftSection={<PlusIcon />} onClick={() => set({ place: 'new' })} data-shortcut="new">
      Place order
    </Button>
  )

  function approve({ id, petId }: Order): void {
    move.mutate(
      { id, transition: 'approve' },
      {
        onSuccess: () => announce({ text: `Order ${id} of ${nameOf(petId)} is approved.` }),
        onError: (error) => announce({ text: explain(error), tone: 'failed' }),
      },
    )
  }

  return (
    <Page title="Orders" lead={<Summary environment={environment} />} actions={place}>
      <search className={classes.filters}>
        <NativeSelect
          label="Status"
          value={filters.get('status')}
          onChange={(event) => set({ status: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            ...orderStatuses.map((status) => ({ value: status, label: status })),
          ]}
        />
        <AnimalFilter value={filters.get('petId')} apply={(petId) => set({ petId })} />
      </search>
      <Loaded query={orders} loading={<Loading rows={8} />}>
        {({ items, next, prev, total }) =>
          items.length === 0 ? (
            <Nothing isFiltered={filters.isAny} showAll={() => set({ status: '', petId: '' })} />
          ) : (
            <>
              <Records
                caption="Orders"
                rows={items}
                keyOf={({ id }) => id}
                isStale={orders.isPlaceholderData}
                columns={[
                  { title: 'Order', isNumber: true, cell: ({ id }) => id },
                  {
                    title: 'Animal',
                    isHead: true,
                    cell: ({ petId }) => (
                      <Anchor
                        component={Link}
                        to={`/store/${environment}/animals?id=${petId}`}
                        c="inherit"
                        inherit
                      >
                        {nameOf(petId)}
                      </Anchor>
                    ),
                  },
                  {
                    title: 'Status',
                    cell: ({ status }) => <StateBadge tone={tones[status]}>{status}</StateBadge>,
                  },
                  { title: 'Placed', cell: ({ createdAt }) => <Ago time={createdAt} /> },
                  {
                    title: 'Actions',
                    isActions: true,
                    cell: (order) => (
                      <Transitions
                        order={order}
                        isBusy={move.isPending && move.variables.id === order.id}
                        onChoose={(transition) =>
                          transition === 'approve'
                            ? approve(order)
                            : setConfirmed({ order, transition })
                        }
                      />
                    ),
                  },
                ]}
              />
              <Pager
                prev={prev}
                next={next}
                go={go}
                summary={counted(total ?? items.length, 'order')}
              />
            </>
          )
        }
      </Loaded>
      <OrderDialog environment={environment} petId={filters.get('place')} close={close} />
      <MoveConfirm
        confirmed={confirmed}
        close={() => setConfirmed(undefined)}
        environment={environment}
        name={confirmed ? nameOf(confirmed.order.petId) : ''}
      />
    </Page>
  )
}

interface MoveConfirmProps {
  confirmed: Confirmed | undefined
  close: () => void
  environment: EnvironmentName
  name: string
}

/** Delivering and cancelling cannot be undone. */
function MoveConfirm({ confirmed, close, environment, name }: MoveConfirmProps) {
  const move = useMoveOrder(environment)
  const announce = useAnnounce()
  const id = confirmed?.order.id ?? 0
  const isDelivery = confirmed?.transition === 'deliver'
  return (
    <Confirm
      opened={confirmed !== undefined}
      close={close}
      title={isDelivery ? `Deliver ${name}?` : `Cancel order ${id}?`}
      verb={isDelivery ? 'Deliver' : 'Cancel order'}
      isDestructive={!isDelivery}
      act={async () => {
        await move.mutateAsync({ id, transition: confirmed?.transition ?? 'cancel' })
        announce({ text: `${name} is ${isDelivery ? 'sold' : 'available again'}.` })
      }}
    >
      {isDelivery
        ? 'The animal becomes sold, and the order is complete.'
        : 'The animal becomes available again. A cancelled order cannot be reopened.'}
    </Confirm>
  )
}

function Summary({ environment }: { environment: EnvironmentName }) {
  const { data } = useEnvironmentState(environment)
  if (!data) return ' '
  const { approved, placed } = data.orders
  if (placed + approved === 0) return 'No open orders.'
  return `${counted(placed, 'order')} to approve, ${counted(approved, 'order')} to deliver.`
}

function AnimalFilter({ apply, value }: { value: string; apply: (petId: string) => void }) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setTyped(value)
  }
  const submit = (): void => {
    if (typed.trim() !== value) apply(typed.trim())
  }
  return (
    <TextField
      label="Animal ID"
      inputMode="numeric"
      value={typed}
      onChange={setTyped}
      onBlur={submit}
      onKeyDown={(event) => event.key === 'Enter' && submit()}
      data-shortcut="search"
    />
  )
}

function Nothing({ isFiltered, showAll }: { isFiltered: boolean; showAll: () => void }) {
  return isFiltered ? (
    <Empty
      title="No matching orders"
      action={
        <Button variant="default" onClick={showAll}>
          Show all orders
        </Button>
      }
    />
  ) : (
    <Empty title="No orders yet">
      Place one here for an available animal, or use the API. An order reserves its animal until it
      is delivered or cancelled.
    </Empty>
  )
}

const verbs: Record<Transition, string> = {
  approve: 'Approve',
  deliver: 'Deliver',
  cancel: 'Cancel',
}

function Transitions({
  isBusy,
  onChoose,
  order: { id, status },
}: {
  order: Order
  isBusy: boolean
  onChoose: (transition: Transition) => void
}) {
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {transitions[status].map((transition) => (
        <Button
          key={transition}
          size="compact-sm"
          variant={transition === 'cancel' ? 'subtle' : 'default'}
          {...(transition === 'cancel' ? { color: 'red' } : {})}
          loading={isBusy && transition === 'approve'}
          aria-label={`${verbs[transition]} order ${id}`}
          onClick={() => onChoose(transition)}
        >
          {verbs[transition]}
        </Button>
      ))}
    </Group>
  )
}
