// What people put into an archive without meaning to: traces of their system, version control, secrets.
// It is left out, whatever it is, and its owner is told.

const names = new Set([
  '__macosx',
  '.ds_store',
  'thumbs.db',
  'desktop.ini',
  '.git',
  '.hg',
  '.svn',
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '.ssh',
  '.aws',
  '.gnupg',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
])

/** Whether a file at this canonical path is left out. Other hidden files, such as `.well-known`, stay. */
export function isIgnoredFile(path: string): boolean {
  return path.split('/').some((segment) => {
    const name = segment.toLowerCase()
    return names.has(name) || name === '.env' || name.startsWith('.env.') || name.startsWith('._')
  })
}
