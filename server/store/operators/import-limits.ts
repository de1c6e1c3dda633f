// How much an import by the management API takes at once. The dashboard says so, too.
export const maxBytes = 8 * 1024 * 1024
export const maxRecords = 50_000
