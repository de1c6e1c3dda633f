// Passwords as argon2id hashes (RFC 9106), stored as PHC strings that include their parameters, so that
// the parameters can be raised later. Hashing takes 20 MB and tens of milliseconds: its queue is bounded, and shared
// fairly by the networks of the clients. At the end are the rules for new passwords.
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { maxPasswordLength, minPasswordLength } from '../../../client/values/limits.ts'

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

const minDistinctCharacters = 5

/**
 * Normalizes a password for hashing (RFC 8265, OpaqueString): NFC, with every space replaced by U+0020, so that different
 * keyboards give the same bytes. Never trimmed, case-folded or truncated. Never fails: invalid input is then refused as a
 * wrong password.
 */
export function normalizePassword(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Zs}/gu, ' ')
    .normalize('NFC')
}

/** Why this cannot be the account's new password; undefined if it can. */
export function findPasswordProblem(text: string, email: string): string | undefined {
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) return 'must not contain control characters'
  const password = normalizePassword(text)
  const characters = [...password]
  if (characters.length < minPasswordLength || characters.length > maxPasswordLength)
    return `must have ${minPasswordLength} to ${maxPasswordLength} characters; it has ${characters.length}`
  const lower = password.toLowerCase()
  const address = normalizePassword(email).toLowerCase()
  if (lower === address || lower === address.split('@')[0]) return 'must not be the e-mail address'
  if (
    commonPasswords.has(lower.replaceAll(' ', '')) ||
    new Set(characters).size < minDistinctCharacters
  )
    return 'is too common. Choose another'
  return undefined
}

// The most common leaked passwords of at least 12 characters, and common ways to stretch a password to 12
// characters. In lower case, without spaces.
const commonPasswordList = `
  0123456789012 012345678910 098765432109 0987654321098 112233445566 123456123456 123456789000
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 1234567890ab
  1234567890qw 1234567890qwerty 123456789101 1234567891011 123456789123 123456789abc 1234qwerasdf
  1234qwerasdfzxcv 123qweasdzxc 12qwaszxerdf 147258369147 147258369369 1q2w3e4r5t6y 1q2w3e4r5t6y7u
  1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc 741852963741
  789456123000 789456123789 987654321000 987654321012 abcd12345678 abcd1234abcd abcdef123456
  abcdefabcdef abcdefgh1234 abcdefghijkl abcdefghijklm abcdefghijklmnop admin1234567 admin12345678
  adminadminadmin administrator administrator1 administrator123 adminpassword animal-store
  animal-store1 animalstore1 animalstore123 animalstorepassword asdfghjkl123 asdfghjkl1234
  asdfghjkl;'# asdfghjklqwe azertyuiop12 azertyuiop123 azertyuiopqs baseball1234 changeme1234
  changemenow! changemenow1 changemeplease chocolate123 computer1234 correcthorsebatterystaple
  defaultpassword football1234 fuckyou12345 guestguestguest hello1234567 helloworld12
  helloworld123 iloveyou1234 iloveyou12345 iloveyouforever jennifer1234 letmein12345 letmein123456
  letmeinletmein letmeinplease liverpool123 manchester12 michael12345 monkey123456 mypassword12
  mypassword123 mypassword1234 mysecretpassword newpassword1 newpassword12 newpassword123
  operator1234 operatoroperator p@ssw0rd1234 p@ssw0rd12345 p@ssword1234 pa$$word1234 pass12345678
  passw0rd1234 passw0rd12345 password0000 password1111 password1212 password123! password1234
  password1234! password12345 password123456 password1234567 password12345678 password123456789
  password2020 password2021 password2022 password2023 password2024 password2025 password2026
  password2027 password4321 passwordpassword passwort1234 passwort12345 passwort123456
  princess1234 q1w2e3r4t5y6 q1w2e3r4t5y6u7 qazwsxedc123 qazwsxedcrfv qwer1234asdf qwerty123456
  qwerty1234567 qwerty12345678 qwertyqwerty qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[]
  qwertyuiopas qwertyuiopasdfghjkl qwertzuiop12 qwertzuiop123 samsung12345 secret123456
  secretpassword secretsecret sunshine1234 superman1234 superuser123 test12345678 testpassword
  testtest1234 thisisapassword trustno1trustno1 verysecretpassword welcome12345 welcome123456
  welcomewelcome william12345 zaq12wsxcde3 zxcvbnm12345 zxcvbnm123456 zxcvbnmasdfgh zxcvbnmzxcvbnm
`

const commonPasswords: ReadonlySet<string> = new Set(commonPasswordList.trim().split(/\s+/))
