// Replaces a secret. The old one keeps working beside the new one for a while.
import { Text } from '@mantine/core'
import { Form, SelectField, useForm } from '../components/form.tsx'

interface RotateFormProps {
  verb: string
  label: string
  rotate: (body: { overlapSeconds: number }) => Promise<unknown>
  children: string
}

export function RotateForm({ children, label, rotate, verb }: RotateFormProps) {
  const { field, form } = useForm({
    initial: { overlapSeconds: '86400' },
    send: ({ overlapSeconds }) => rotate({ overlapSeconds: Number(overlapSeconds) }),
  })
  return (
    <Form verb={verb} {...form}>
      <Text>{children}</Text>
      <SelectField
        {...field('overlapSeconds', label)}
        data={[
          { value: '0', label: 'not at all' },
          { value: '3600', label: 'for 1 hour' },
          { value: '86400', label: 'for 1 day' },
          { value: '604800', label: 'for 7 days' },
          { value: '2592000', label: 'for 30 days' },
        ]}
      />
    </Form>
  )
}
