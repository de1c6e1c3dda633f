// Whether the settings are safe. Invalid ones end a start, so that only the command line can report them.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Config,
  findConfigWarnings,
  isPrivateName,
  projectRoot,
} from '../../platform/config/config.ts'
import { findUnknownKeys } from '../../platform/database/re-encrypt.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { inspectOperatorCertificate } from '../edge/operator-certificate.ts'
import type { CheckedDatabase } from './check-databases.ts'
import { type Finding, findingsOf } from './system-check.ts'

const { ok, problem, warning } = findingsOf('configuration')

export async function checkConfiguration(
  config: Config,
  databases: readonly CheckedDatabase[],
  secrets: Secrets | undefined,
  now: number,
): Promise<Finding[]> {
  const { baseUrl, dashboardUrl, stagingBaseUrl } = config
  const findings = findConfigWarnings(config).map((text) => {
    const [message = text, fix = ''] = text.split(/(?<=\.) (?=Use )/)
    return warning('PLATFORM_HOST', message, fix)
  })
  for (const [name, url] of Object.entries({
    BASE_URL: baseUrl,
    STAGING_BASE_URL: stagingBaseUrl,
    DASHBOARD_URL: dashboardUrl,
  })) {
    if (url.protocol === 'https:' || isPrivateName(url.hostname)) continue
    const message = `${url.origin} is a public address without encryption: keys and passwords can be read on the way.`
    findings.push(warning(name, message, `Set ${name} to an https address.`))
  }
  const mode = modeOf(join(projectRoot, '.env'))
  if (mode !== undefined && (mode & 0o077) !== 0) {
    const message = 'Other users of this machine can read the .env file, which has secrets.'
    findings.push(warning('.env', message, `Run chmod 600 '${join(projectRoot, '.env')}'.`))
  }
  const own = inspectOperatorCertificate(config, now)
  const ownSubject = 'PLATFORM_CERTIFICATE_FILE'
  const renew = 'Renew the certificate: the files are read again when they change.'
  if (own && 'problem' in own) findings.push(problem(ownSubject, own.problem, renew))
  else if (own?.isSoon) {
    const message = `The certificate expires at ${new Date(own.expiresAt).toISOString()}.`
    findings.push(warning(ownSubject, message, renew))
  }
  findings.push(...(await findMissingKeys(databases, secrets)))
  return findings.length > 0 ? findings : [ok('settings', 'All settings are valid.')]
}

async function findMissingKeys(
  databases: readonly CheckedDatabase[],
  secrets: Secrets | undefined,
): Promise<Finding[]> {
  const stored = databases.flatMap(({ database, encryptedColumns: columns }) =>
    database ? [{ database, columns }] : [],
  )
  const keys = { hasKey: (id: string) => secrets?.hasKey(id) === true }
  // Whether a database responds is a check of its own.
  const missing = await findUnknownKeys(stored, keys).catch(() => new Map<string, number>())
  return [...missing].map(([id, count]) =>
    problem(
      'SECRET_KEY',
      `The encryption key ${id} of ${count} stored secrets is missing.`,
      'Put your copy of secret.key into DATA_DIR, or add the key to SECRET_KEY, and restart.',
    ),
  )
}

/** For settings that the program refuses: the message names the setting and what it accepts. */
export function invalidConfiguration(message: string): Finding {
  return problem('settings', message, 'Correct the setting: the program does not start with it.')
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode
}
