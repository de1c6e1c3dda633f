// The options of commands that work on another server or on this machine's own: see server-choice.ts.
import type { Option } from './command.ts'

export const serverOptions: Record<'url' | 'token', Option> = {
  url: { value: 'URL', meaning: 'The dashboard of another server. Or ANIMAL_STORE_URL.' },
  token: {
    value: 'TOKEN',
    meaning:
      'A personal access token for it. Better in ANIMAL_STORE_TOKEN, where other users of the machine cannot see it.',
  },
}
