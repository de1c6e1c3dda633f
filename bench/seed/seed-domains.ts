// Inserts domains with certificates directly into a database whose server is stopped.

import { X509Certificate } from 'node:crypto'
import { createInternalRoot, issueInternally } from '../../server/acme/x509/certificate.ts'
import { keyContext } from '../../server/domains/certificates/records/certificate-rows.ts'
import { openSecrets } from '../../server/kit/secrets.ts'
import { type SqlValue, writePublishing } from './publishing-database.ts'
import type { SeedTarget } from './seed-animals.ts'

export interface SeededHost {
  host: string
  /** In PEM. */
  chain: string
  /** In PEM. */
  key: string
}

export interface SeededDomains {
  /** Hosts of the project `bench`, each with its own certificate. */
  hosts: SeededHost[]
  /**
   * The number of further domains, `filler-1.bench.example` and so on, in further projects of 50 domains each,
   * which serve the same site.
   */
  fillers?: number
  /**
   * The directory URL of the authority that issued the certificates. With `internal`, whose certificates browsers
   * do not trust, HTTP is not redirected to HTTPS.
   */
  directory: string
}

const maxDomainsPerProject = 50

/** ECDSA P-256, a separate key for each host. */
export async function issueCertificates(hosts: string[]): Promise<SeededHost[]> {
  const root = await createInternalRoot('Bench root', Date.now())
  const issued: SeededHost[] = []
  for (const host of hosts) {
    const { chain, key } = await issueInternally(root, [host], { days: 30, now: Date.now() })
    issued.push({ host, key, chain })
  }
  return issued
}

/** Call `seedSite` with the slug `bench` first. `dataDir` is the folder with the server's secrets. */
export async function seedDomains(
  target: SeedTarget,
  dataDir: string,
  { directory, fillers = 0, hosts }: SeededDomains,
): Promise<void> {
  const secrets = openSecrets({ dataDir, secretKeys: [] })
  if (hosts.length === 0) throw new Error('no host')
  await writePublishing(target, async ({ insert, run }) => {
    await run("UPDATE accounts SET plan = 'paid'")
    let columns: Record<'domains' | 'certificates', string[]> = { domains: [], certificates: [] }
    for (const [index, { chain, host, key }] of hosts.entries()) {
      const { fingerprint256, serialNumber, validFromDate, validToDate } = new X509Certificate(
        chain,
      )
      const [id, notAfter] = [`bench-${index}`, validToDate.getTime()]
      const domain: Record<string, SqlValue> = {
        ...{ id, host, project_id: 'bench', holder: 'bench', verification_token: id },
        ...{ role: 'alias', version: 1, added_at: 1, verification_requested_at: 1 },
        ...{ ownership: 'proven', proven_by: 'pointer', proven_at: 1 },
        ...{ dns: 'ok', serving: 'https', certificate: 'issued', expires_at: notAfter },
      }
      const certificate: Record<string, SqlValue> = {
        ...{ id, domain_id: id, host, directory, issuer: 'Bench', chain, is_current: 1 },
        private_key: secrets.encrypt(Buffer.from(key), keyContext('certificate', id)),
        ...{ fingerprint: fingerprint256, serial: serialNumber, issued_at: 1 },
        ...{ not_before: validFromDate.getTime(), not_after: notAfter },
      }
      await insert('domains', domain)
      await insert('certificates', certificate)
      columns = { domains: Object.keys(domain), certificates: Object.keys(certificate) }
    }
    if (fillers === 0) return

    /** Inserts copies of the rows `where`. `changed` has SQL for columns; `i` in it is the copy's number from 1. */
    const copyRows = async (
      copies: number,
      table: string,
      columnNames: string[],
      changed: Record<string, string>,
      where: string,
    ): Promise<void> => {
      const values = columnNames.map((name) => changed[name] ?? name)
      await run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})
        INSERT INTO ${table} (${columnNames.join(', ')})
        SELECT ${values.join(', ')} FROM ${table}, n WHERE ${where}`,
      )
    }
    const projects = Math.ceil(fillers / maxDomainsPerProject)
    const name = "'filler-' || i"
    const projectColumns = ['id', 'owner_id', 'name', 'last_deploy', 'live_deploy', 'created_at']
    await copyRows(projects, 'projects', projectColumns, { id: name }, "id = 'bench'")
    const deployColumns = [
      ...['project_id', 'number', 'state', 'kind', 'source', 'created_at', 'source_files'],
      ...['source_bytes', 'site_files', 'site_bytes', 'attempts'],
    ]
    const ofBench = "project_id = 'bench'"
    await copyRows(projects, 'deploys', deployColumns, { project_id: name }, ofBench)
    const fileColumns = ['project_id', 'number', 'path', 'hash']
    await copyRows(projects, 'deploy_files', fileColumns, { project_id: name }, ofBench)
    const slugColumns = ['slug', 'project_id', 'owner_id', 'is_current']
    await copyRows(projects, 'slugs', slugColumns, { slug: name, project_id: name }, ofBench)

    const host = `${name} || '.bench.example'`
    const project = `'filler-' || ((i + ${maxDomainsPerProject - 1}) / ${maxDomainsPerProject})`
    const domainChanges = { id: name, host, project_id: project, verification_token: name }
    await copyRows(fillers, 'domains', columns.domains, domainChanges, "id = 'bench-0'")
    // The copied private key cannot be decrypted for another id; no job makes TLS handshakes with fillers.
    const certificateChanges = { id: name, domain_id: name, host }
    await copyRows(
      fillers,
      'certificates',
      columns.certificates,
      certificateChanges,
      "id = 'bench-0'",
    )
  })
}
