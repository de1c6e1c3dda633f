// Passwords as argon2id hashes (RFC 9106), stored as PHC strings that include their parameters, so that
// the parameters can be raised later. Hashing takes 20 MB and tens of milliseconds: its queue is bounded, and shared
// fairly by the networks of the clients.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { normalizePassword } from './password-rules.ts'

/** Whose turn to hash it is. */
export interface Applicant {
  /** The client's network, or whatever else shares one place in the queue. */
  network: string
  /** Goes first: the account's owner is known to use this network, or the request is authorized in another way. */
  isKnown: boolean
}

/** Of one applicant. Both functions throw `unavailable` if too many wait, or they wait too long for their turn. */
export interface Hashing {
  /** The PHC string of a password. */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Without a hash (unknown account), it takes the same time and
   * returns false.
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export interface PasswordOptions {
  cost?: Cost
  limits?: typeof standardLimits
  /** Default: `crypto.argon2`. */
  derive?: (parameters: Argon2Parameters) => Promise<Buffer>
}

// OWASP's password storage recommendation.
const standardCost = { memoryKib: 19_456, passes: 2, lanes: 1 }
type Cost = typeof standardCost

/** Hashes at once, requests that wait for a turn, in all and of one network, and their longest wait. */
const standardLimits = { maxHashing: 2, maxWaiting: 200, maxWaitingPerNetwork: 8, maxWaitMs: 5000 }
const busyMessage = 'Too many people are signing in. Try again in a few seconds.'
const saltBytes = 16
const tagBytes = 32
const form =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([\w+/]{11,86})\$([\w+/]{11,86})$/

export type Passwords = ReturnType<typeof createPasswords>

export function createPasswords(options: PasswordOptions = {}) {
  const { cost = standardCost, derive = deriveArgon2id } = options
  const { maxHashing, maxWaiting, maxWaitingPerNetwork, maxWaitMs } =
    options.limits ?? standardLimits
  const turns = createFairSemaphore({
    maxPermits: maxHashing,
    maxWaiting,
    maxWaitingPerOwner: maxWaitingPerNetwork,
    maxWaitMs,
    busyMessage,
  })
  // For unknown accounts: a random hash that no password matches.
  const unmatchableHash = write(cost, randomBytes(saltBytes), randomBytes(tagBytes))

  const hashingOf = ({ isKnown, network }: Applicant): Hashing => {
    const compute = (password: string, used: Cost, salt: Buffer, tagLength: number) =>
      turns.use(
        `${isKnown ? 'known' : 'new'} ${network}`,
        () =>
          derive({
            message: normalizePassword(password),
            nonce: salt,
            memory: used.memoryKib,
            passes: used.passes,
            parallelism: used.lanes,
            tagLength,
          }),
        { isUrgent: isKnown },
      )
    return {
      async hash(password) {
        const salt = randomBytes(saltBytes)
        return write(cost, salt, await compute(password, cost, salt, tagBytes))
      },
      async verify(password, hash) {
        const { cost: used, salt, tag } = read(hash ?? unmatchableHash)
        const computed = await compute(password, used, salt, tag.length)
        return timingSafeEqual(computed, tag) && hash !== undefined
      },
    }
  }

  return {
    hashingOf,
    /** Whether a hash uses other parameters than the current ones. */
    isOutdated(hash: string) {
      const { salt, tag } = read(hash)
      return hash !== write(cost, salt, tag)
    },
  }
}

function write({ memoryKib, passes, lanes }: Cost, salt: Buffer, tag: Buffer): string {
  const parameters = `m=${memoryKib},t=${passes},p=${lanes}`
  return `$argon2id$v=19$${parameters}$${inBase64(salt)}$${inBase64(tag)}`
}

/** Throws if this program did not write the hash. */
function read(hash: string): { cost: Cost; salt: Buffer; tag: Buffer } {
  const match = form.exec(hash)
  if (!match) throw new Error('unknown format of a password hash')
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
