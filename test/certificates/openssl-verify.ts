// What openssl says of a certificate in its strictest mode, with a root as the only trust anchor.
import { spawnSync } from 'node:child_process'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `OK`, or what is wrong with it. */
export function verifyByOpenssl(root: string, leaf: string, ...words: string[]): string {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'animal-store-root-'))
  const [rootFile, leafFile] = [join(folder.path, 'root.pem'), join(folder.path, 'leaf.pem')]
  writeFileSync(rootFile, root)
  writeFileSync(leafFile, leaf)
  const trust = ['-no-CApath', '-no-CAstore', '-CAfile', rootFile]
  const purpose = ['-x509_strict', '-purpose', 'sslserver', ...words]
  const command = ['verify', ...trust, ...purpose, leafFile]
  const { stderr, stdout } = spawnSync('openssl', command, { encoding: 'utf8' })
  return stdout.includes(': OK') ? 'OK' : (/lookup: (.*)/.exec(stderr)?.[1] ?? stderr)
}
