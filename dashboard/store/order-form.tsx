// Places an order of an available animal, which is shown by its name while its number is typed.
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAnnounce } from '../components/announcements.tsx'
import { Dialog, DialogForm } from '../components/dialog.tsx'
import { problemsOf } from '../components/form-problems.ts'
import { typedInteger } from '../platform/numbers.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { useAnimal } from './animal-queries.ts'
import { usePlaceOrder } from './order-queries.ts'

export interface OrderDialogProps {
  environment: EnvironmentName
  /** The animal's id, `new` to ask for one, empty while it is closed. */
  wanted: string
  close: () => void
}

export function OrderDialog({ close, environment, wanted }: OrderDialogProps) {
  return (
    <Dialog opened={wanted !== ''} close={close} title="Place order">
      <OrderForm environment={environment} close={close} first={wanted === 'new' ? '' : wanted} />
    </Dialog>
  )
}

function OrderForm({
  close,
  environment,
  first,
}: {
  environment: EnvironmentName
  close: () => void
  first: string
}) {
  const [id, setId] = useState(first)
  const animal = useAnimal(environment, id.trim())
  const place = usePlaceOrder(environment)
  const announce = useAnnounce()
  const problems = problemsOf(place.error, ['petId'])
  const found = animal.data

  return (
    <DialogForm
      close={close}
      verb="Place order"
      submit={() =>
        place.mutate(typedInteger(id), {
          onSuccess: (order) => {
            announce({ text: `Order ${order.id} is placed.` })
            close()
          },
        })
      }
      isPending={place.isPending}
      problem={problems.other}
    >
      <TextInput
        label="Animal ID"
        inputMode="numeric"
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        error={problems.at('petId')}
        autoComplete="off"
        data-autofocus
      />
      <Text size="sm" c="dimmed" role="status" mih="1.5em">
        {found
          ? `${found.name} is ${found.status}.`
          : animal.error
            ? 'No animal has this ID.'
            : 'It is held until the order is delivered or cancelled.'}
      </Text>
    </DialogForm>
  )
}
