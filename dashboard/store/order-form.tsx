// Places an order of an available animal. Its name is shown while its ID is typed.
import { Text } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import { Dialog } from '../components/dialog.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { checkInteger, parseInteger } from '../platform/numbers.ts'
import { useAnimal } from './animal-queries.ts'
import { usePlaceOrder } from './order-queries.ts'

export interface OrderDialogProps {
  environment: EnvironmentName
  /** The ID of the animal, `new` to type one, empty while the dialog is closed. */
  petId: string
  close: () => void
}

export function OrderDialog({ close, environment, petId }: OrderDialogProps) {
  return (
    <Dialog opened={petId !== ''} close={close} title="Place order">
      <OrderForm environment={environment} close={close} initial={petId === 'new' ? '' : petId} />
    </Dialog>
  )
}

function OrderForm({
  close,
  environment,
  initial,
}: {
  environment: EnvironmentName
  close: () => void
  initial: string
}) {
  const place = usePlaceOrder(environment)
  const announce = useAnnounce()
  const { field, form, values } = useForm({
    initial: { petId: initial },
    checks: { petId: checkInteger },
    async send({ petId }) {
      const order = await place.mutateAsync({ petId: parseInteger(petId) ?? 0n })
      announce({ text: `Order ${order.id} is placed.` })
      close()
    },
  })
  const { data: animal, error } = useAnimal(environment, values.petId.trim())

  return (
    <Form close={close} verb="Place order" {...form}>
      <TextField {...field('petId')} label="Animal ID" inputMode="numeric" data-autofocus />
      <Text size="sm" c="dimmed" role="status" mih="1.5em">
        {animal
          ? `${animal.name} is ${animal.status}.`
          : error
            ? 'No animal has this ID.'
            : 'The animal is reserved until the order is delivered or cancelled.'}
      </Text>
    </Form>
  )
}
