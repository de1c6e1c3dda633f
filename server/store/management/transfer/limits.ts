// How much an import by the management API takes at once. The dashboard says so, too.
export const mostBytes = 8 * 1024 * 1024
export const mostRecords = 50_000
