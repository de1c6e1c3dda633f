// Domains with their certificates, written straight into a database whose server is stopped: those that are
// asked for, each with its own, and others to be many.

import { X509Certificate } from 'node:crypto'
import { openSecrets } from '../server/platform/secrets.ts'
import { keyContext } from '../server/publishing/certificates/records/certificate-rows.ts'
import { writePublishing } from './publishing-database.ts'
import type { SeedTarget } from './seed.ts'

export interface SeededHost {
  host: string
  chain: string
  key: string
}

export interface SeededDomains {
  /** Served by the project `bench`. */
  hosts: SeededHost[]
  /** So many more, `filler-1.bench.example` and so on: fifty to a project, each of which has the site of `bench`. */
  fillers?: number
  /** Of the authority: `internal`, whose certificates no browser knows, leaves plain HTTP as it is. */
  directory: string
}

const maxOfProject = 50

/** `dataDir` is where the server finds its secrets. After seedSite with the slug `bench`. */
export async function seedDomains(
  target: SeedTarget,
  dataDir: string,
  { directory, fillers = 0, hosts }: SeededDomains,
): Promise<void> {
  const secrets = openSecrets({ dataDir, secretKeys: [] })
  const [first] = hosts
  if (!first) throw new Error('no host')
  await writePublishing(target, async ({ insert, run }) => {
    await run("UPDATE accounts SET plan = 'paid'")
    for (const [index, { chain, host, key }] of hosts.entries()) {
      const { fingerprint256, serialNumber, validFromDate, validToDate } = new X509Certificate(
        chain,
      )
      const [id, notAfter] = [`bench-${index}`, validToDate.getTime()]
      await insert('domains', {
        ...{ id, host, project_id: 'bench', holder: 'bench', proof: id, role: 'alias', version: 1 },
        ...{ added_at: 1, wanted_at: 1, ownership: 'proven', proven_by: 'pointer', proven_at: 1 },
        ...{ dns: 'ok', serving: 'https', certificate: 'issued', expires_at: notAfter },
      })
      await insert('certificates', {
        ...{ id, domain_id: id, host, directory, issuer: 'Bench', chain, is_current: 1 },
        private_key: secrets.encrypt(Buffer.from(key), keyContext('certificate', id)),
        ...{ fingerprint: fingerprint256, serial: serialNumber, issued_at: 1 },
        ...{ not_before: validFromDate.getTime(), not_after: notAfter },
      })
    }
    if (fillers === 0) return
    const many = (count: number, into: string): string =>
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO ${into}`
    const projects = Math.ceil(fillers / maxOfProject)
    const copies: [table: string, others: string][] = [
      ['projects', 'owner_id, name, last_deploy, live_deploy, created_at'],
      [
        'deploys',
        `number, state, kind, source, created_at, source_files, source_bytes, site_files, site_bytes,
        attempts`,
      ],
      ['deploy_files', 'number, path, hash'],
    ]
    for (const [table, others] of copies) {
      const key = table === 'projects' ? 'id' : 'project_id'
      await run(
        many(
          projects,
          `${table} (${key}, ${others})
          SELECT 'filler-' || i, ${others} FROM ${table}, n WHERE ${key} = 'bench'`,
        ),
      )
    }
    await run(
      many(
        projects,
        `slugs (slug, project_id, owner_id, is_current)
        SELECT 'filler-' || i, 'filler-' || i, 'bench', 1 FROM n`,
      ),
    )
    await run(
      many(
        fillers,
        `domains (id, host, project_id, holder, proof, role, version, added_at, wanted_at, ownership,
          proven_by, proven_at, dns, serving, certificate, expires_at)
        SELECT 'filler-' || i, 'filler-' || i || '.bench.example', 'filler-' || ((i + ${maxOfProject - 1}) / ${maxOfProject}), 'bench',
          'filler-' || i, role, version, added_at, wanted_at, ownership, proven_by, proven_at, dns,
          serving, certificate, expires_at
        FROM domains, n WHERE id = 'bench-0'`,
      ),
    )
    // Nobody shakes hands for them, so that it matters not that the key is not theirs.
    await run(
      many(
        fillers,
        `certificates (id, domain_id, host, directory, issuer, chain, is_current, private_key, fingerprint,
          serial, issued_at, not_before, not_after)
        SELECT 'filler-' || i, 'filler-' || i, 'filler-' || i || '.bench.example', directory, issuer, chain,
          is_current, private_key, fingerprint, serial, issued_at, not_before, not_after
        FROM certificates, n WHERE id = 'bench-0'`,
      ),
    )
  })
}
