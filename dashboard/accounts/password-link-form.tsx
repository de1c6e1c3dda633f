// Makes a link by which the owner of an account sets a new password, and shows it this once.
import { Text } from '@mantine/core'
import { DialogForm } from '../components/dialog.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { explain } from '../platform/api.ts'
import { exactly } from '../platform/times.ts'
import { type Account, usePasswordLink } from './member-queries.ts'

export function PasswordLinkForm({ account, close }: { account: Account; close: () => void }) {
  const make = usePasswordLink()
  if (make.data) {
    return (
      <ShownOnce what="link" secret={make.data.link} close={close}>
        {`Send it to ${account.email}. It works once, until ${exactly(make.data.expiresAt)}.`}
      </ShownOnce>
    )
  }
  return (
    <DialogForm
      close={close}
      verb="Make the link"
      submit={() => make.mutate(account.id)}
      isPending={make.isPending}
      problem={make.error ? explain(make.error) : undefined}
    >
      <Text>
        {account.name} sets a new password with it, which ends all sessions of the account. A link
        that was made before stops working.
      </Text>
    </DialogForm>
  )
}
