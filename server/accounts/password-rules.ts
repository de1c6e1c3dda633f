// The rules for passwords, and the normalization before hashing (RFC 8265, OpaqueString): NFC, with every
// space replaced by U+0020, so that different keyboards give the same bytes. Passwords are never trimmed,
// case-folded or truncated.

import { maxPasswordLength, minPasswordLength } from '../../client/values/limits.ts'

const minDistinctCharacters = 5

/** Normalizes a password for hashing. Never fails: invalid input is then refused as a wrong password. */
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
