// Passwords as argon2id hashes (RFC 9106), kept as PHC strings that name their own parameters, so that
// these can be raised. Hashing takes 20 MB and tens of milliseconds, so it goes through a bounded queue.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { createFairSemaphore } from '../fair-semaphore.ts'
import { spellPassword } from './password-rules.ts'

export interface Cost {
  memoryKib: number
  passes: number
  lanes: number
}

/** What an admitted request may do. Both throw `unavailable` when their turn does not come soon. */
export interface Hashing {
  /** The PHC string of a password. */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the one that was hashed. Without a hash (there is no such account) it works
   * as long, and says no.
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export interface Passwords {
  /** Admits a request. Throws `unavailable` at once when too many are admitted already. */
  admit<T>(visit: (hashing: Hashing) => Promise<T>): Promise<T>
  /** Whether a hash was made with other parameters than are used now. */
  isOutdated(hash: string): boolean
}

export interface PasswordLimits {
  /** Requests that are admitted at once: those that hash and those that wait. */
  maxAdmitted: number
  /** Of these, how many hash at once. */
  maxHashing: number
  /** How long one may wait for its turn to hash. */
  maxWaitMs: number
}

export interface PasswordOptions {
  cost?: Cost
  limits?: PasswordLimits
  /** What computes; `crypto.argon2` without it. */
  derive?: (parameters: Argon2Parameters) => Promise<Buffer>
}

// OWASP's password storage recommendation.
const standardCost: Cost = { memoryKib: 19_456, passes: 2, lanes: 1 }
const standardLimits: PasswordLimits = { maxAdmitted: 34, maxHashing: 2, maxWaitMs: 5000 }
const busyMessage = 'Too many people are signing in. Try again in a few seconds.'
const saltBytes = 16
const tagBytes = 32
const form =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([\w+/]{11,86})\$([\w+/]{11,86})$/

export function createPasswords(options: PasswordOptions = {}): Passwords {
  const { cost = standardCost, derive = deriveArgon2id } = options
  const { maxAdmitted, maxHashing, maxWaitMs } = options.limits ?? standardLimits
  const admitted = createFairSemaphore({ maxPermits: maxAdmitted, maxWaiting: 0, busyMessage })
  const hashes = createFairSemaphore({ maxPermits: maxHashing, maxWaitMs, busyMessage })
  // Nobody has its password: not even we know what it is the hash of.
  const nobody = write(cost, randomBytes(saltBytes), randomBytes(tagBytes))

  const compute = (password: string, used: Cost, salt: Buffer, tagLength: number) =>
    hashes.use('all', () =>
      derive({
        message: spellPassword(password),
        nonce: salt,
        memory: used.memoryKib,
        passes: used.passes,
        parallelism: used.lanes,
        tagLength,
      }),
    )

  const hashing: Hashing = {
    async hash(password) {
      const salt = randomBytes(saltBytes)
      return write(cost, salt, await compute(password, cost, salt, tagBytes))
    },
    async verify(password, hash) {
      const { cost: used, salt, tag } = read(hash ?? nobody)
      const computed = await compute(password, used, salt, tag.length)
      return timingSafeEqual(computed, tag) && hash !== undefined
    },
  }

  return {
    admit: (visit) => admitted.use('all', () => visit(hashing)),
    isOutdated(hash) {
      const { salt, tag } = read(hash)
      return hash !== write(cost, salt, tag)
    },
  }
}

function write({ memoryKib, passes, lanes }: Cost, salt: Buffer, tag: Buffer): string {
  const parameters = `m=${memoryKib},t=${passes},p=${lanes}`
  return `$argon2id$v=19$${parameters}$${inBase64(salt)}$${inBase64(tag)}`
}

/** Throws for what this program never wrote. */
function read(hash: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const match = form.exec(hash)
  if (!match) throw new Error('a password hash is not in a form that this program knows')
  const [, memory, passes, lanes, salt = '', tag = ''] = match
  return {
    cost: { memoryKib: Number(memory), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** PHC strings have no padding. */
function inBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

function deriveArgon2id(parameters: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
