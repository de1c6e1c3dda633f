// The declaration of secret rotate. run-secrets.ts, which only it loads, runs it.
import type { Command } from '../command-line/command.ts'

export const secretRotate: Command = {
  name: 'secret rotate',
  summary: 'Encrypts all stored secrets with a new key, while the server is running.',
  details:
    'With the key file in DATA_DIR it creates the new key and finally deletes the old one; running servers follow without a restart. With SECRET_KEY, first put the new key before the old one, separated by a comma, on every node and restart them; run this command with the same setting; then remove the old key. If it is interrupted, run it again.',
  options: {},
  run: async (input) => (await import('./run-secrets.ts')).rotate(input),
}
