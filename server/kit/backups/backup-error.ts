/** A backup that cannot be written, read or restored. The message is one line: what, of which file, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** The same error where it is a BackupError; otherwise one that says what could not be done with the file. */
export function asBackupError(error: unknown, file: string, action: string): unknown {
  if (error instanceof BackupError) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return new BackupError(`${file} cannot be ${action}: ${reasonOf(code)}`, { cause: error })
}

/** The same for an error of SQLite, whose message has no file. */
export function asSqliteError(error: unknown, database: string, action: string): unknown {
  const { errcode, message } = error as { errcode?: unknown; message?: string }
  if (typeof errcode !== 'number') return error
  return new BackupError(`The database ${database} cannot be ${action}: ${message}.`, {
    cause: error,
  })
}

function reasonOf(code: string): string {
  const reasons: Record<string, string> = {
    ENOSPC: 'the disk is full (ENOSPC).',
    EDQUOT: 'the disk quota is used up (EDQUOT).',
    EACCES: 'this user may not (EACCES).',
    ENOENT: 'it does not exist (ENOENT).',
    EISDIR: 'it is a folder (EISDIR).',
    ENOTDIR: 'it is no folder (ENOTDIR).',
    EROFS: 'the file system is read-only (EROFS).',
  }
  return reasons[code] ?? `${code}.`
}
