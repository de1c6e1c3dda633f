// Orders: filter, place, approve, deliver, cancel.
import { Button, Group } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { ActionButton, ConfirmButton, Dialog } from '../components/actions.tsx'
import { Form, TextField, useForm } from '../components/form.tsx'
import { PlusIcon } from '../components/icons.tsx'
import { FilterForm, statusChoice, useFilters, withoutSpaces } from '../components/inputs.tsx'
import { Empty, Page } from '../components/page.tsx'
import { PagedRecords, timeColumn } from '../components/records.tsx'
import { Note, PageLink, StateBadge, type Tone } from '../components/values.tsx'
import { capitalized, checkInteger, counted, parseInteger } from '../platform/formats.ts'
import { useChange, useEnvironment, useGet } from '../platform/requests.ts'
import { type Order, pageOptions, useEnvironmentState } from './store-queries.ts'

type Status = Order['status']

const tones: Record<Status, Tone> = {
  placed: 'action',
  approved: 'progress',
  delivered: 'success',
  cancelled: 'neutral',
}

export function Component() {
  const environment = useEnvironment()
  const filters = useFilters(['status', 'petId'])
  const { get, set } = filters
  const orders = useGet('GET /store/{environment}/orders', {
    query: filters.query({ limit: 20 }),
    ...pageOptions,
  })
  const nameOf = useAnimalNames(orders.data?.items ?? [])
  const animal = get('place')
  return (
    <Page
      title="Orders"
      lead={<Summary />}
      actions={
        <Button
          variant="filled"
          leftSection={<PlusIcon />}
          onClick={() => set({ place: 'new' })}
          data-shortcut="new"
        >
          Place order
        </Button>
      }
    >
      <FilterForm filters={filters} choice={statusChoice(Object.keys(tones))} clean={withoutSpaces}>
        {(field) => <TextField {...field('petId')} label="Animal ID" inputMode="numeric" />}
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
          { title: 'Order', isNumber: true, isMinor: true, cell: ({ id }) => id },
          {
            title: 'Animal',
            isHead: true,
            cell: ({ petId }) => (
              <PageLink to={`/store/${environment}/animals?id=${petId}`} c="inherit" inherit>
                {nameOf(petId)}
              </PageLink>
            ),
          },
          {
            title: 'Status',
            cell: ({ status }) => (
              <StateBadge tone={tones[status]}>{capitalized(status)}</StateBadge>
            ),
          },
          timeColumn('Placed', 'createdAt', { isMinor: true }),
        ]}
        actions={(order) => <Actions order={order} name={nameOf(order.petId)} />}
      />
      <Dialog opened={animal !== ''} onClose={() => set({ place: '' })} title="Place order">
        <OrderForm initial={animal === 'new' ? '' : animal} />
      </Dialog>
    </Page>
  )
}

/** Returns the name of an animal of these orders; `animal 7` for a deleted one. */
function useAnimalNames(orders: Order[]): (petId: number) => string {
  const id = [...new Set(orders.map(({ petId }) => petId))].sort((a, b) => a - b)
  const { data } = useGet('GET /store/{environment}/pets', {
    query: { limit: 100, id },
    enabled: id.length > 0,
    placeholderData: keepPreviousData,
  })
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

/** The transitions of an order. Delivering and cancelling are confirmed, because they cannot be undone. */
function Actions({ name, order: { id, status } }: { order: Order; name: string }) {
  const approve = useChange('POST /store/{environment}/orders/{orderId}/approve')
  const deliver = useChange('POST /store/{environment}/orders/{orderId}/deliver')
  const cancel = useChange('POST /store/{environment}/orders/{orderId}/cancel')
  const input = { params: { orderId: String(id) } }
  if (status === 'delivered' || status === 'cancelled') return null
  return (
    <Group gap={6} wrap="nowrap" justify="flex-end">
      {status === 'placed' && (
        <ActionButton
          label={`Approve order ${id}`}
          act={() => approve.mutateAsync(input)}
          done={`Order ${id} of ${name} is approved.`}
        >
          Approve
        </ActionButton>
      )}
      <ConfirmButton
        label={`Deliver order ${id}`}
        title={`Deliver ${name}?`}
        text="The animal becomes sold, and the order is complete."
        verb="Deliver"
        isDestructive={false}
        act={() => deliver.mutateAsync(input)}
        done={`${name} is sold.`}
      />
      <ConfirmButton
        variant="subtle"
        color="red"
        label={`Cancel order ${id}`}
        title={`Cancel order ${id}?`}
        text="The animal becomes available again. A cancelled order cannot be reopened."
        verb="Cancel order"
        act={() => cancel.mutateAsync(input)}
        done={`${name} is available again.`}
      >
        Cancel
      </ConfirmButton>
    </Group>
  )
}

/** `initial` is the ID of the animal, or empty. The animal's name is shown while its ID is typed. */
function OrderForm({ initial }: { initial: string }) {
  const place = useChange('POST /store/{environment}/orders')
  const { field, form, values } = useForm({
    initial: { petId: initial },
    checks: { petId: checkInteger },
    send: ({ petId }) => place.mutateAsync({ body: { petId: parseInteger(petId) ?? 0n } }),
    done: ({ id }) => `Order ${id} is placed.`,
  })
  const petId = values.petId.trim()
  const { data: animal, error } = useGet('GET /store/{environment}/pets/{petId}', {
    params: { petId },
    enabled: /^\d+$/.test(petId),
  })

  return (
    <Form verb="Place order" {...form}>
      <TextField {...field('petId', 'Animal ID')} inputMode="numeric" />
      <Note role="status" mih="1.5em">
        {animal
          ? `${animal.name} is ${animal.status}.`
          : error
            ? 'No animal has this ID.'
            : 'The animal is reserved until the order is delivered or cancelled.'}
      </Note>
    </Form>
  )
}
