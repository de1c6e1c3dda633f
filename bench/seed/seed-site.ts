// Inserts one project with one live deploy into a migrated database whose server is stopped, with the same
// rows that a deploy would have left.

import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type SqlValue, writePublishing } from './publishing-database.ts'
import type { SeedTarget } from './seed-animals.ts'

interface Row {
  table: string
  values: Record<string, SqlValue>
}

/** `files` maps paths to texts. The slug must not be in use. */
export async function seedSite(
  target: SeedTarget,
  slug: string,
  files: Record<string, string>,
): Promise<void> {
  await writePublishing(target, async ({ insert }) => {
    for (const { table, values } of createRows(slug, files)) await insert(table, values)
  })
}

function createRows(slug: string, files: Record<string, string>): Row[] {
  const owner = { owner_id: 'bench' }
  const project = { project_id: 'bench' }
  const account = { id: 'bench', email: 'bench@example.com', email_key: 'bench@example.com' }
  const rows: Row[] = [
    {
      table: 'accounts',
      values: {
        ...{ ...account, name: 'Bench', password_hash: '-', role: 'member', plan: 'free' },
        created_at: 1,
      },
    },
    {
      table: 'projects',
      values: { id: 'bench', ...owner, name: slug, last_deploy: 1, live_deploy: 1, created_at: 1 },
    },
    { table: 'slugs', values: { slug, ...project, ...owner, is_current: 1 } },
    {
      table: 'deploys',
      values: {
        ...{ ...project, number: 1, state: 'live', kind: 'ready', source: 'folder', created_at: 1 },
        ...{ source_files: 0, source_bytes: 0, site_files: 0, site_bytes: 0, attempts: 1 },
      },
    },
  ]
  for (const [path, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const digest = hash('sha256', content)
    const codings = { gzip: gzipSync(content), brotli: brotliCompressSync(content), coded: 1 }
    rows.push(
      { table: 'files', values: { hash: digest, size: content.length, content, ...codings } },
      { table: 'deploy_files', values: { ...project, number: 1, path, hash: digest } },
    )
  }
  return rows
}

/** An HTML page of about this size; all of its bytes are ASCII. */
export function createPage(bytes: number): string {
  const start = '<!doctype html>\n<html lang="en">\n<title>Guide</title>\n'
  const paragraph =
    '<p>Animals are listed, created and retrieved by the programs of partners.</p>\n'
  return start + paragraph.repeat(Math.round((bytes - start.length) / paragraph.length))
}
