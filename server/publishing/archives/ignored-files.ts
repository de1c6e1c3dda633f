// Files that are often included by mistake are not deployed, and the owner is informed: system files, version control,
// installed packages, secrets. Of archives and of folders.

const names = new Set([
  '__macosx',
  '.ds_store',
  'thumbs.db',
  'desktop.ini',
  'node_modules',
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
