// Runs certificates account: asks each certificate authority for the account of this installation.
import { authoritiesOf } from '#domains/certificates/open-certificates.ts'
import { acceptAccount } from '#domains/database/account-problems.ts'
import { commandLineOrigin } from '#kit/audit/record-audit.ts'
import { systemClock } from '#kit/clock.ts'
import { type Input, print } from './command-line/command.ts'
import { withPublishing } from './command-line/local-database.ts'

const sentences = {
  none: 'has no account of this installation.',
  accepted: 'accepts the account of this installation.',
  refused: 'refuses the account of this installation. Replace it with --replace.',
  unknown: 'does not say whether it accepts the account of this installation.',
  replaced: 'has a new account of this installation. Orders go on within five minutes.',
}

export async function showAccounts(input: Input): Promise<number> {
  const isReplacing = input.options.replace !== undefined
  const origin = isReplacing ? commandLineOrigin(systemClock()) : undefined
  const accounts = await withPublishing(async (database, config) => {
    const authorities = authoritiesOf(config, { clock: systemClock, database })
    const review = async (directory: string) => {
      const state = await authorities.reviewAccount(directory, origin)
      const isAccepted = state === 'accepted' || state === 'replaced'
      if (isAccepted) await acceptAccount(database, directory, systemClock())
      return { directory, state } as const
    }
    try {
      return await Promise.all(authorities.directories.map(review))
    } finally {
      authorities.stop()
    }
  })
  const lines = accounts.map(({ directory, state }) => `${directory} ${sentences[state]}`)
  print(input, { accounts }, lines.join('\n'))
  return accounts.some(({ state }) => state === 'refused') ? 1 : 0
}
