// Limits of the API that a client checks before it sends something. limits.test.ts compares them with the server's.

/** Characters after Unicode normalization (NFC). */
export const minPasswordLength = 12
export const maxPasswordLength = 256
/** A file of a deploy. */
export const maxDeployFileBytes = 25 * 1024 * 1024
export const maxDeployFiles = 20_000
export const maxDeployMessageLength = 200
/** An import of animals by the API. */
export const maxImportBytes = 8 * 1024 * 1024
export const maxImportRecords = 50_000
