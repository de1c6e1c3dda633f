// Orders: filter, place, approve, deliver, cancel.
import { Anchor, Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { useAnnounce } from '../components/announcements.tsx'
import { Confirm } from '../components/confirm.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Records } from '../components/records.tsx'
import { StateBadge, type Tone } from '../components/state-badge.tsx'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { explain } from '../platform/api.ts'
import { counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { type EnvironmentName, useEnvironment } from '../shell/navigation.tsx'
import classes from './animal-filters.module.css'
import { useEnvironmentState } from './environment-queries.ts'
import { OrderDialog } from './order-form.tsx'
import {
  type Move,
  movesOf,
  type Order,
  type OrderStatus,
  orderStatuses,
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

interface Asked {
  order: Order
  move: 'deliver' | 'cancel'
}

function Orders({ environment }: { environment: EnvironmentName }) {
  const filters = useFilters(['status', 'petId'])
  const orders = useOrders(environment, filters.query({ limit: '20' }))
  const names = useOrderedAnimals(environment, orders.data?.items ?? [])
  const [asked, setAsked] = useState<Asked>()
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
      { id, move: 'approve' },
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
                      <Moves
                        order={order}
                        isBusy={move.isPending && move.variables.id === order.id}
                        go={(wanted) =>
                          wanted === 'approve' ? approve(order) : setAsked({ order, move: wanted })
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
      <OrderDialog environment={environment} wanted={filters.get('place')} close={close} />
      <MoveConfirm
        asked={asked}
        close={() => setAsked(undefined)}
        environment={environment}
        name={asked ? nameOf(asked.order.petId) : ''}
      />
    </Page>
  )
}

interface MoveConfirmProps {
  asked: Asked | undefined
  close: () => void
  environment: EnvironmentName
  name: string
}

/** Both end an order for good. */
function MoveConfirm({ asked, close, environment, name }: MoveConfirmProps) {
  const move = useMoveOrder(environment)
  const announce = useAnnounce()
  const id = asked?.order.id ?? 0
  const isDelivery = asked?.move === 'deliver'
  return (
    <Confirm
      opened={asked !== undefined}
      close={close}
      title={isDelivery ? `Deliver ${name}?` : `Cancel order ${id}?`}
      verb={isDelivery ? 'Deliver' : 'Cancel order'}
      isDestroying={!isDelivery}
      act={async () => {
        await move.mutateAsync({ id, move: asked?.move ?? 'cancel' })
        announce({ text: `${name} is ${isDelivery ? 'sold' : 'available again'}.` })
      }}
    >
      {isDelivery
        ? 'The animal is sold by this, and the order is done.'
        : 'The animal is available again. A cancelled order cannot be taken up again.'}
    </Confirm>
  )
}

function Summary({ environment }: { environment: EnvironmentName }) {
  const { data } = useEnvironmentState(environment)
  if (!data) return ' '
  const { approved, placed } = data.orders
  if (placed + approved === 0) return 'No order is open.'
  return `${counted(placed, 'order waits', 'orders wait')} for approval, ${counted(approved, 'is', 'are')} approved and not delivered yet.`
}

function AnimalFilter({ apply, value }: { value: string; apply: (petId: string) => void }) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (known !== value) {
    setKnown(value)
    setTyped(value)
  }
  const go = (): void => {
    if (typed.trim() !== value) apply(typed.trim())
  }
  return (
    <TextInput
      label="Animal ID"
      inputMode="numeric"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={go}
      onKeyDown={(event) => event.key === 'Enter' && go()}
      data-shortcut="search"
    />
  )
}

function Nothing({ isFiltered, showAll }: { isFiltered: boolean; showAll: () => void }) {
  return isFiltered ? (
    <Empty
      title="No order is like this"
      action={
        <Button variant="default" onClick={showAll}>
          Show all orders
        </Button>
      }
    />
  ) : (
    <Empty title="No orders yet">
      Place one here for an available animal, or let a program do it. It holds the animal until it
      is delivered or cancelled.
    </Empty>
  )
}

const verbs: Record<Move, string> = { approve: 'Approve', deliver: 'Deliver', cancel: 'Cancel' }

function Moves({
  go,
  isBusy,
  order: { id, status },
}: {
  order: Order
  isBusy: boolean
  go: (move: Move) => void
}) {
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {movesOf[status].map((move) => (
        <Button
          key={move}
          size="compact-sm"
          variant={move === 'cancel' ? 'subtle' : 'default'}
          {...(move === 'cancel' ? { color: 'red' } : {})}
          loading={isBusy && move === 'approve'}
          aria-label={`${verbs[move]} order ${id}`}
          onClick={() => go(move)}
        >
          {verbs[move]}
        </Button>
      ))}
    </Group>
  )
}
