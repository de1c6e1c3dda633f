// Limits of the API that a client checks before it sends something, as the server does.

/** Characters after Unicode normalization (NFC). */
export const minPasswordLength = 12
export const maxPasswordLength = 256
/** A file of a deploy: as much as an OpenAPI document may have. */
export const maxDeployFileBytes = 50 * 1024 * 1024
/** The plan may allow fewer. */
export const maxDeployFiles = 20_000
export const maxDeployMessageLength = 200
/** The uploaded logo or favicon of a site. */
export const maxSiteImageBytes = 1024 * 1024
/** An import of animals by the management API. */
export const maxImportBytes = 8 * 1024 * 1024
export const maxImportRecords = 50_000
