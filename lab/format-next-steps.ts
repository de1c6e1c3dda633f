// The next steps that the lab prints, with commands to copy.
import { join } from 'node:path'
import { type Lab, visitorsRoot } from './lab.ts'
import { platformHost } from './network/topology.ts'
import type { ServerInLab } from './serve-in-lab.ts'

/** `server` is undefined when the lab runs without one. */
export function formatNextSteps(lab: Lab, server: ServerInLab | undefined): string {
  const { authority, topology, registrarUrl, browserProxyUrl } = lab
  const { dns } = topology.ports
  const dig = (words: string): string => `  dig @${topology.resolver} -p ${dns} ${words}`
  const secure = authority
    ? `  curl -x ${browserProxyUrl} --cacert ${join(lab.folder, visitorsRoot)} https://docs.mossy.example/\n`
    : ''
  const steps = [
    `Buy a domain at Hollow Oak Domains, such as mossy.example:\n\n  ${registrarUrl}`,
    ...(server
      ? [
          server.setUpLink
            ? `Create the first account, a project, and a token under Account:\n\n  ${server.setUpLink}`
            : `Open the dashboard:\n\n  ${server.dashboardUrl}`,
          `Deploy a folder, and add a host of the domain to the project:\n\n  export ANIMAL_STORE_URL=${server.dashboardUrl} ANIMAL_STORE_TOKEN=TOKEN\n  animal-store deploy FOLDER --project handbook\n  animal-store domains add docs.mossy.example --project handbook`,
        ]
      : []),
    `Point the host to ${platformHost}: add a CNAME record in the registrar, or apply a scenario:\n\n  curl -X PUT ${registrarUrl}/api/domains/mossy.example/scenario -H 'Content-Type: application/json' -d '{"scenario":"right","name":"docs"}'`,
    ...(server
      ? [
          'Verify the domain and wait for its certificate:\n\n  animal-store domains verify docs.mossy.example --project handbook --wait',
        ]
      : []),
    `Query the public resolver and a single name server:\n\n${dig('docs.mossy.example')}\n  dig @${topology.providerServers.burrow[0]} -p ${dns} docs.mossy.example`,
    `Open sites by their host names, with curl or a separate browser profile:\n\n  curl -x ${browserProxyUrl} http://docs.mossy.example/\n${secure}  chromium --user-data-dir="$(mktemp -d)" --proxy-server=${browserProxyUrl}`,
    'Try what can go wrong: delays, faults, wildcards, CAA, DNSSEC and more are in the registrar.',
  ]
  const ca = authority
    ? `${authority.title} issues certificates: ${authority.directoryUrl}\nRoot to trust: ${join(lab.folder, visitorsRoot)}`
    : 'No certificate authority is running.'
  return [
    '',
    'The lab is running. Nothing leaves this machine.',
    ca,
    '',
    ...steps.map((step, i) => `${i + 1}. ${step}\n`),
    'Press Ctrl-C to stop. Nothing is left behind.',
    '',
    '',
  ].join('\n')
}
