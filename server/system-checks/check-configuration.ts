// Whether the settings are safe. Invalid ones end a start, so that only the command line can report them.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { inspectOperatorCertificate } from '#domains/edge/operator-certificate.ts'
import { type Config, findConfigWarnings, isPrivateName, projectRoot } from '#kit/config/config.ts'
import { findUnknownKeys } from '#kit/database/re-encrypt.ts'
import type { Secrets } from '#kit/secrets.ts'
import { type Finding, findingsOf } from '#kit/system/schema.ts'
import type { CheckedDatabase } from './check-databases.ts'

const { ok, problem, warning } = findingsOf('configuration')
const fixOfMissingKey =
  'Put your copy of secret.key into DATA_DIR, or add the key to SECRET_KEY, and restart.'

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
  if (own) {
    const renew = 'Renew the certificate: the files are read again when they change.'
    const finding = own.isUsable ? warning : problem
    findings.push(finding('PLATFORM_CERTIFICATE_FILE', own.message, renew))
  }
  // Whether a database responds is a check of its own.
  const missing = await findUnknownKeys(databases, secrets).catch(() => [])
  for (const [id, count] of missing) {
    const message = `The encryption key ${id} of ${count} stored secrets is missing.`
    findings.push(problem('SECRET_KEY', message, fixOfMissingKey))
  }
  return findings.length > 0 ? findings : [ok('settings', 'All settings are valid.')]
}

/** For settings that the program refuses: the message names the setting and what it accepts. */
export function invalidConfiguration(message: string): Finding {
  return problem('settings', message, 'Correct the setting: the program does not start with it.')
}

function modeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode
}
