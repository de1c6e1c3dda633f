// Files that are often included in an archive by mistake: system files, version control, secrets. They are not
// deployed, and the owner is informed.

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

/** Whether a file at this canonical path is ignored. Other hidden files, such as `.well-known`, are deployed. */
export function isIgnoredFile(path: string): boolean {
  return path.split('/').some((segment) => {
    const name = segment.toLowerCase()
    return names.has(name) || name === '.env' || name.startsWith('.env.') || name.startsWith('._')
  })
}
