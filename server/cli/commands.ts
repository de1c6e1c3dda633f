// Every command, in the order of the help.
import {
  accountsInvite,
  accountsList,
  accountsPlan,
  accountsReset,
  tokensCreate,
  tokensList,
  tokensRevoke,
} from './accounts/accounts.ts'
import { animalsExport, animalsImport } from './animals/animals.ts'
import { stagingReset } from './animals/staging.ts'
import type { Command } from './command-line/command.ts'
import { deploy } from './deploys/deploy.ts'
import { certificatesRoot } from './domains/certificates.ts'
import {
  domainsAdd,
  domainsCheck,
  domainsConfig,
  domainsList,
  domainsRemove,
  domainsVerify,
} from './domains/domains.ts'
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys/keys.ts'
import { lab } from './serve/lab.ts'
import { serve } from './serve/serve.ts'
import {
  webhooksCreate,
  webhooksDeliveries,
  webhooksDisable,
  webhooksEnable,
  webhooksList,
  webhooksRemove,
  webhooksResend,
  webhooksRotate,
  webhooksTest,
} from './webhooks/webhooks.ts'

export const commands: Command[] = [
  serve,
  keysCreate,
  keysList,
  keysRotate,
  keysRevoke,
  animalsImport,
  animalsExport,
  stagingReset,
  deploy,
  domainsAdd,
  domainsList,
  domainsCheck,
  domainsVerify,
  domainsConfig,
  domainsRemove,
  certificatesRoot,
  accountsInvite,
  accountsList,
  accountsPlan,
  accountsReset,
  tokensCreate,
  tokensList,
  tokensRevoke,
  webhooksCreate,
  webhooksList,
  webhooksDeliveries,
  webhooksResend,
  webhooksTest,
  webhooksDisable,
  webhooksEnable,
  webhooksRotate,
  webhooksRemove,
  lab,
]
