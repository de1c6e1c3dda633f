// Every command of the program, in the order in which the help shows them.
import { accountsInvite, accountsList, accountsPlan, accountsReset } from './accounts.ts'
import { animalsExport, animalsImport } from './animals.ts'
import { certificatesRoot } from './certificates.ts'
import type { Command } from './command.ts'
import { deploy } from './deploy.ts'
import {
  domainsAdd,
  domainsCheck,
  domainsConfig,
  domainsList,
  domainsRemove,
  domainsVerify,
} from './domains.ts'
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys.ts'
import { lab } from './lab.ts'
import { serve } from './serve.ts'
import { stagingReset } from './staging.ts'
import { tokensCreate, tokensList, tokensRevoke } from './tokens.ts'
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
} from './webhooks.ts'

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
