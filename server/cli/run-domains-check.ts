// domains check: what the doctor says of a host, without adding it and without an account.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { systemClock } from '../platform/clock.ts'
import { portByAddress } from '../platform/http/address-port.ts'
import { openSecrets } from '../platform/secrets.ts'
import { checkDomain, unclaimed } from '../publishing/domains/check-domain.ts'
import { findingsAsJson, findingsAsText } from '../publishing/domains/doctor/describe-findings.ts'
import { type Plan, readPlan } from '../publishing/domains/doctor/read-plan.ts'
import { domainNetwork } from '../publishing/domains/domain-network.ts'
import { readHostname } from '../publishing/domains/hostname.ts'
import { CommandError, type Input, loadConfig } from './command.ts'

const httpPort = 80

/** Runs the command: see domains.ts. */
export async function runDomainsCheck({ json, operands, options }: Input): Promise<number> {
  const config = loadConfig()
  const { platformHost } = config
  const ownHosts = [config.baseUrl, config.stagingBaseUrl, config.dashboardUrl]
  const own = { hosts: ownHosts.map(({ hostname }) => hostname), target: platformHost }
  const { ok: subject, refused } = readHostname(operands[0] ?? '', own)
  if (refused) throw new CommandError(refused.message)
  const plan = options.planned === undefined ? undefined : planIn(options.planned, subject.zone)
  const context = {
    network: domainNetwork(config, systemClock),
    clock: systemClock,
    secrets: openSecrets(config),
    probePorts: portByAddress(config.probeAllow, httpPort),
  }
  const check = await checkDomain(context, unclaimed(config, subject), plan)
  const { evidence, judged, problems } = check
  if (options.evidence !== undefined) {
    writeFileSync(options.evidence, `${JSON.stringify(evidence, undefined, 2)}\n`)
  }
  for (const problem of problems) process.stderr.write(`animal-store: ${problem}\n`)
  process.stdout.write(
    json
      ? `${JSON.stringify({ host: subject.host, ...findingsAsJson(judged, evidence) })}\n`
      : findingsAsText(judged, evidence, {
          hasColour: process.stdout.isTTY === true && !process.env.NO_COLOR,
          formatTime: (at) =>
            new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' }),
        }),
  )
  const isBlocked = judged.findings.some(({ severity }) => severity === 'blocks')
  return judged.result === 'ok' && !isBlocked ? 0 : 1
}

function planIn(file: string, zone: string): Plan {
  if (file !== '-' && !existsSync(file)) throw new CommandError(`there is no ${file}`)
  const plan = readPlan(readFileSync(file === '-' ? 0 : file, 'utf8'), zone)
  const [problem] = plan.problems
  if (problem !== undefined) throw new CommandError(`${file}: ${problem}`)
  return plan
}
