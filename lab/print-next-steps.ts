// What to do in the lab, in steps whose commands can be copied as they are.
import { join } from 'node:path'
import { type Lab, visitorsRoot } from './lab.ts'
import { platformHost } from './network/addresses.ts'
import type { ServerInLab } from './serve-in-lab.ts'

/** `server` is undefined when the lab runs without one. */
export function nextSteps(lab: Lab, server: ServerInLab | undefined): string {
  const { authority, places, registrarUrl, windowUrl } = lab
  const { dns } = places.ports
  const dig = (words: string): string => `  dig @${places.resolver} -p ${dns} ${words}`
  const secure = authority
    ? `  curl -x ${windowUrl} --cacert ${join(lab.folder, visitorsRoot)} https://docs.mossy.example/\n`
    : ''
  const steps = [
    `Buy a domain at Hollow Oak Domains, such as mossy.example:\n\n  ${registrarUrl}`,
    ...(server
      ? [
          server.setUpLink
            ? `Make the first account, a project, and a token under Account:\n\n  ${server.setUpLink}`
            : `The dashboard:\n\n  ${server.dashboardUrl}`,
          `Deploy something, and add a name of the domain to the project:\n\n  export ANIMAL_STORE_URL=${server.dashboardUrl} ANIMAL_STORE_TOKEN=TOKEN\n  animal-store deploy FOLDER --project handbook\n  animal-store domains add docs.mossy.example --project handbook`,
        ]
      : []),
    `Point a name at ${platformHost}: add a CNAME record in the registrar, or let it do so:\n\n  curl -X PUT ${registrarUrl}/api/domains/mossy.example/scene -H 'Content-Type: application/json' -d '{"scene":"right","name":"docs"}'`,
    ...(server
      ? [
          'Verify it, and see its certificate come:\n\n  animal-store domains verify docs.mossy.example --project handbook --wait',
        ]
      : []),
    `See what the world sees, and what one name server has:\n\n${dig('docs.mossy.example')}\n  dig @${places.providerServers.burrow[0]} -p ${dns} docs.mossy.example`,
    `Look at sites by their names in the lab, with curl or a browser of its own:\n\n  curl -x ${windowUrl} http://docs.mossy.example/\n${secure}  chromium --user-data-dir="$(mktemp -d)" --proxy-server=${windowUrl}`,
    'Make it go wrong: delays, faults, wildcards, CAA, DNSSEC and more are in the registrar.',
  ]
  const ca = authority
    ? `${authority.title} issues certificates: ${authority.directoryUrl}\nWho trusts this root believes them: ${join(lab.folder, visitorsRoot)}`
    : 'No certificate authority issues here.'
  return [
    '',
    'The lab runs; nothing of it leaves this machine.',
    ca,
    '',
    ...steps.map((step, i) => `${i + 1}. ${step}\n`),
    'Ctrl-C ends it and leaves nothing behind.',
    '',
    '',
  ].join('\n')
}
