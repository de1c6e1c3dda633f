// Orders: filter, place, approve, deliver, cancel.
import { Anchor, Button, Group } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { useCallback } from 'react'
import { Link } from 'react-router'
import { useAttempt } from '../components/announcements.tsx'
import { Dialog, useConfirm } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { Page } from '../components/page.tsx'
import { PagedRecords } from '../components/paged-records.tsx'
import { StateBadge, type Tone } from '../components/state-badge.tsx'
import { Empty } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { useEnvironment } from '../platform/environment.ts'
import { counted } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import { useFilters } from '../platform/use-filters.ts'
import { FilterForm } from './filters.tsx'
import { OrderForm } from './order-form.tsx'
import { type Order, useEnvironmentState, useStoreChange } from './store-queries.ts'

type Status = Order['status']

const tones: Record<Status, Tone> = {
  placed: 'act',
  approved: 'busy',
  delivered: 'good',
  cancelled: 'still',
}

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters(['status', 'petId'])
  const { get, set } = filters
  const orders = useGet(
    'GET /store/{environment}/orders',
    { params: { environment }, query: filters.query({ limit: 20 }) },
    // Programs place orders, too.
    { placeholderData: keepPreviousData, refetchInterval: 15_000 },
  )
  const nameOf = useAnimalNames(orders.data?.items ?? [])
  const closeForm = useCallback(() => set({ place: '' }), [set])
  const animal = get('place')
  return (
    <Page
      title="Orders"
      lead={<Summary />}
      actions={
        <Button
          leftSection={<PlusIcon />}
          onClick={() => set({ place: 'new' })}
          data-shortcut="new"
        >
          Place order
        </Button>
      }
    >
      <FilterForm<'petId'> filters={filters} statuses={Object.keys(tones)}>
        {(field) => (
          <TextField
            {...field('petId')}
            label="Animal ID"
            inputMode="numeric"
            data-shortcut="search"
          />
        )}
      </FilterForm>
      <PagedRecords
        query={orders}
        filters={filters}
        caption="Orders"
        unit={['order']}
        empty={
          <Empty title="No orders yet">
            Place one here for an available animal, or use the API. An order reserves its animal
            until it is delivered or cancelled.
          </Empty>
        }
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
            cell: (order) => <Actions order={order} name={nameOf(order.petId)} />,
          },
        ]}
      />
      <Dialog opened={animal !== ''} onClose={closeForm} title="Place order">
        <OrderForm close={closeForm} initial={animal === 'new' ? '' : animal} />
      </Dialog>
    </Page>
  )
}

/** Returns the name of an animal of these orders; `animal 7` for a deleted one. */
function useAnimalNames(orders: Order[]): (petId: number) => string {
  const environment = useEnvironment()
  const id = [...new Set(orders.map(({ petId }) => petId))].sort((a, b) => a - b)
  const { data } = useGet(
    'GET /store/{environment}/animals',
    { params: { environment }, query: { limit: 100, id } },
    { enabled: id.length > 0, placeholderData: keepPreviousData },
  )
  const names = new Map(data?.items.map((animal) => [animal.id, animal.name]))
  return (petId) => names.get(petId) ?? `animal ${petId}`
}

function Summary() {
  const state = useEnvironmentState()
  if (!state) return ' '
  const { approved, placed } = state.orders
  if (placed + approved === 0) return 'No open orders.'
  return `${counted(placed, 'order')} to approve, ${counted(approved, 'order')} to deliver.`
}

/** The transitions of an order by its status. */
function Actions({ name, order: { id, status } }: { order: Order; name: string }) {
  const props = { id, name }
  if (status === 'delivered' || status === 'cancelled') return null
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {status === 'placed' && <TransitionButton {...props} transition="approve" verb="Approve" />}
      <TransitionButton {...props} transition="deliver" verb="Deliver" />
      <TransitionButton {...props} transition="cancel" verb="Cancel" />
    </Group>
  )
}

/** Delivering and cancelling are confirmed, because they cannot be undone. */
function TransitionButton({
  id,
  name,
  transition,
  verb,
}: {
  id: number
  name: string
  transition: 'approve' | 'deliver' | 'cancel'
  verb: string
}) {
  const environment = useEnvironment()
  const change = useStoreChange(`POST /store/{environment}/orders/{orderId}/${transition}`)
  const attempt = useAttempt()
  const confirm = useConfirm()
  const act = () => change.mutateAsync({ params: { environment, orderId: String(id) } })
  const choose = {
    approve: () => attempt(act(), () => `Order ${id} of ${name} is approved.`),
    deliver: () =>
      confirm({
        title: `Deliver ${name}?`,
        text: 'The animal becomes sold, and the order is complete.',
        verb,
        isDestructive: false,
        act,
        done: `${name} is sold.`,
      }),
    cancel: () =>
      confirm({
        title: `Cancel order ${id}?`,
        text: 'The animal becomes available again. A cancelled order cannot be reopened.',
        verb: 'Cancel order',
        act,
        done: `${name} is available again.`,
      }),
  }
  return (
    <Button
      size="compact-sm"
      {...(transition === 'cancel' ? { variant: 'subtle', color: 'red' } : { variant: 'default' })}
      loading={transition === 'approve' && change.isPending}
      aria-label={`${verb} order ${id}`}
      onClick={choose[transition]}
    >
      {verb}
    </Button>
  )
}
