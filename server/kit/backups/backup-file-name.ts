// Names of backups: they sort by time. Only files that a schedule has named are ever deleted by one.

const timeOf = (now: number): string => new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Such as `animal-store-20261123T051342Z.backup`. `now` is in milliseconds since the epoch. */
export const backupFileName = (now: number): string => `animal-store-${timeOf(now)}.backup`

/** Such as `animal-store-scheduled-20261123T051342Z.backup`. */
export const scheduledFileName = (now: number): string =>
  `animal-store-scheduled-${timeOf(now)}.backup`

const scheduledName = /^animal-store-scheduled-\d{8}T\d{6}Z\.backup$/
const draftOfScheduled = /^animal-store-scheduled-\d{8}T\d{6}Z\.backup\.[0-9a-f]{12}\.partial$/

export const isScheduledName = (name: string): boolean => scheduledName.test(name)
export const isDraftOfScheduled = (name: string): boolean => draftOfScheduled.test(name)
