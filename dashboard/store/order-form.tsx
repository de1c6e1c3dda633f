// Places an order of an available animal. Its name is shown while its ID is typed.
import { Text } from '@mantine/core'
import { useAnnounce } from '../components/announcements.tsx'
import { TextField } from '../components/fields.tsx'
import { Form } from '../components/form.tsx'
import { useForm } from '../components/use-form.ts'
import { checkInteger, parseInteger } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import { useStoreChange } from './store-queries.ts'

/** `initial` is the ID of the animal, or empty. */
export function OrderForm({ close, initial }: { initial: string; close: () => void }) {
  const place = useStoreChange('POST /store/{environment}/orders')
  const announce = useAnnounce()
  const { field, form, values } = useForm({
    initial: { petId: initial },
    checks: { petId: checkInteger },
    async send({ petId }) {
      const body = { petId: parseInteger(petId) ?? 0n }
      const order = await place.mutateAsync({ body })
      announce(`Order ${order.id} is placed.`)
      close()
    },
  })
  const petId = values.petId.trim()
  const { data: animal, error } = useGet(
    'GET /store/{environment}/animals/{petId}',
    { params: { petId } },
    { enabled: /^\d+$/.test(petId) },
  )

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
