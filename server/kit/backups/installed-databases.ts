/** Every database of an installation: files on SQLite, schemas on PostgreSQL. */
export const installedDatabases = ['production', 'staging', 'publishing', 'limits'] as const
